"""Iterators over dictionaries, their views, and sets: objects that say where they stand.

CPython's own forget what they go through when they are taken apart. A position is counted among the entries that are
there now. Once an entry was put in the place of a removed one, which CPython notices by the size only, what comes next
depends on how it has packed the entries: that is refused.
"""

from __future__ import annotations

import gc
import operator
from itertools import islice
from typing import Any

from replay.interpreter.calls import intrinsic, refuse_here
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.library.iterators import LibraryIterator, iterate
from replay.interpreter.library.looking import MISSING
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, shows_as, stands_for, steps_natively
from replay.interpreter.ownership import is_shared

_DONE = -1
"""The position after the end; after an error as well."""


def _keys(things: Any) -> Any:
    for kind in (dict, set, frozenset):
        if is_a(things, kind):
            return kind.__iter__(things)
    return iter(things)


class EntryIterator(LibraryIterator):
    """Goes through `things`, of which there were `size` when it began, and `left` are to come.

    `end` is what `end_of` said when it began; `entries` begins to go through them.
    """

    __slots__ = ("end", "left", "position", "size", "things")
    changed = "dictionary changed size during iteration"
    entries: Any = staticmethod(_keys)

    def __init__(self, things: Any) -> None:
        self.things = things
        self.size = self.left = size_of(things)
        self.position = 0
        self.end = end_of(things)

    def __next__(self) -> Any:
        if self.things is None:
            raise StopIteration
        if self.size != size_of(self.things):
            self.size = _DONE
            raise RuntimeError(self.changed)
        check_unchanged(self)
        entry = self.entry(self.position)
        if entry is MISSING:
            self.things = None
            raise StopIteration
        self.left -= 1
        return entry

    def entry(self, position: int) -> Any:
        return entry_at(self, position)

    def __length_hint__(self) -> int:
        if self.things is None or self.size != size_of(self.things):
            return 0
        return self.left


steps_natively(vars(EntryIterator)["__next__"])


@natively
def size_of(things: Any) -> int:
    for kind in (dict, set, frozenset):
        if is_a(things, kind):
            return kind.__len__(things)
    return len(things)


@natively
def end_of(things: Any) -> Any:
    """Returns what tells whether keys were changed: the last one of a dictionary, to which a new one is added, or
    all."""
    if is_a(things, dict):
        return next(dict.__reversed__(things), MISSING)
    return tuple(_keys(things))


@natively
def check_unchanged(iterator: EntryIterator) -> None:
    """Refuse to go on where keys have come in the place of others."""
    end = end_of(iterator.things)
    if end is not iterator.end and not (type(end) is tuple and all(map(operator.is_, end, iterator.end))):
        refuse_here(KEYS_CHANGED)


KEYS_CHANGED = (
    "keys are removed and others added while a loop goes through them: what comes next depends on how Python has "
    "packed them. Go through list(...) of them"
)


@natively
def entry_at(iterator: EntryIterator, position: int) -> Any:
    """The entry at a position, where the iterator stands then; MISSING after the last."""
    entry = next(islice(type(iterator).entries(iterator.things), position, None), MISSING)
    iterator.position = position + 1
    return entry


@natively
def dictionary_of(view: Any) -> Any:
    """The dictionary that a view shows."""
    return gc.get_referents(view)[0]


@shows_as(type(iter({})))
class KeyIterator(EntryIterator):
    __slots__ = ()


@shows_as(type(iter({}.values())))
class ValueIterator(EntryIterator):
    __slots__ = ()
    entries = dict.values


@shows_as(type(iter({}.items())))
class ItemIterator(EntryIterator):
    __slots__ = ()
    entries = dict.items


@shows_as(type(iter(set())))
class SetIterator(EntryIterator):
    __slots__ = ()
    changed = "Set changed size during iteration"


_MADE_BY: dict[type, type[EntryIterator]] = {
    dict: KeyIterator,
    set: SetIterator,
    frozenset: SetIterator,
    type({}.keys()): KeyIterator,
    type({}.values()): ValueIterator,
    type({}.items()): ItemIterator,
}
"""By class of what is gone through: what goes through it."""


@intrinsic(iterate)
def _iterate(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    thing = arguments[0] if len(arguments) == 1 and not keywords else None
    kind = type(thing)
    if kind in _MADE_BY and not is_shared(frame, thing):
        frame.stack.append(_MADE_BY[kind](thing if kind in (dict, set, frozenset) else dictionary_of(thing)))
        return None
    frame.execution.push(iterate, arguments, keywords)
    return SWITCH


class ReversedIterator(EntryIterator):
    """An iterator from the last entry to the first."""

    __slots__ = ()

    def entry(self, position: int) -> Any:
        entry = MISSING
        if position < self.size:
            entry = entry_at(self, self.size - 1 - position)
        self.position = position + 1
        return entry


@shows_as(type(reversed({})))
class ReversedKeyIterator(ReversedIterator):
    __slots__ = ()


@shows_as(type(reversed({}.values())))
class ReversedValueIterator(ReversedIterator):
    __slots__ = ()
    entries = dict.values


@shows_as(type(reversed({}.items())))
class ReversedItemIterator(ReversedIterator):
    __slots__ = ()
    entries = dict.items


@natively
def itself(things: Any) -> Any:
    return things


def goes_through(native: Any, iterator: Any, dictionary: Any, **how: Any) -> None:
    """Lets a method of C which begins to go through something return an iterator of ours.

    `dictionary` returns what that goes through.
    """

    @stands_for(native)
    def begin(things: Any, /) -> Any:
        return iterator(dictionary(things), **how)


for _kind, _forward, _backward in (
    (type({}.keys()), KeyIterator, ReversedKeyIterator),
    (type({}.values()), ValueIterator, ReversedValueIterator),
    (type({}.items()), ItemIterator, ReversedItemIterator),
):
    goes_through(vars(_kind)["__iter__"], _forward, dictionary_of)
    goes_through(vars(_kind)["__reversed__"], _backward, dictionary_of)
goes_through(dict.__iter__, KeyIterator, itself)
goes_through(dict.__reversed__, ReversedKeyIterator, itself)
goes_through(set.__iter__, SetIterator, itself)
goes_through(frozenset.__iter__, SetIterator, itself)
