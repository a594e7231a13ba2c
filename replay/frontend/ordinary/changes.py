"""One operation on a shared container: a load of all that it holds, or an update by a method of Python's own."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from replay.code.ordinary import OF_OURS, internal_class
from replay.code.running_thread import current_run, perform, refuse
from replay.frontend.ordinary.contents import (
    FACTORY,
    LIMIT,
    Content,
    KnownKeys,
    ListContent,
    MovingContent,
    SortingContent,
    Untouched,
    base_of,
    comparing_keys,
    is_compared_by_code,
    moving,
    packed,
    runs_code,
    unpacked,
)
from replay.frontend.ordinary.identity import Identity, owned_identity
from replay.frontend.ordinary.values import Reference
from replay.interpreter.lookup import lookup
from replay.interpreter.natives import natively
from replay.world.operation import UNWRITTEN, Kind
from replay.world.shown import shown
from replay.world.values import same

LESS = ("__lt__", "__gt__")
"""Methods by which what puts in order asks."""


class KeyByKey:
    """A method that changes a dict or set by one item after the other, given the first ones: returns how many it took.

    CPython lets others run where it asks an `__eq__` of Python whether a key is there already, and looks again if they
    have changed something. So a portion ends before each key for which it asks, but the first one.
    `hashes`: it asks each key for its hash as well.
    """

    def __init__(self, change: Callable[..., Any], *, hashes: bool) -> None:
        self._change = change
        self._hashes = hashes

    def portion(self, items: tuple[Any, ...], known: KnownKeys) -> tuple[Any, ...]:
        """The items that are taken at once, with keys that are there already for theirs."""
        has_values = self._change in _UPDATES
        found: list[Any] = []
        for each in items:
            key = each[0] if has_values else each
            is_compared, there = known.are_compared(key), known.resolved(key)
            # `set.update` does not look again whether others have taken away what it found
            ends = is_compared and self._change is set.update and there is not key
            if found and ((is_compared and not ends) or (self._hashes and runs_code(key, ("__hash__",)))):
                break
            found.append((there, each[1]) if has_values else there)
            if ends:
                break
        return tuple(found)

    def __call__(self, container: Any, items: tuple[Any, ...]) -> int:
        self._change(container, items)
        return len(items)


_UPDATES: Final = (dict.update, OrderedDict.update)
"""An OrderedDict keeps its order by itself: what changes it as a dict is lost."""


def update_by_keys(thing: Any, change: Callable[..., Any], name: str, items: tuple[Any, ...], *, hashes: bool) -> None:
    """Change a shared dict or set by one item after the other, as memory has them: one update, or more where code
    compares."""
    by_keys, has_values = KeyByKey(change, hashes=hashes), change in _UPDATES
    while True:
        spelled = ", ".join(f"{shown(key)}: {shown(value)}" for key, value in items) if has_values else shown(items)
        items = items[update(thing, by_keys, f"{name}({spelled})", (items,)) :]
        if not items:
            return
        if (lock := current_run().global_lock) is not None:
            lock.let_go()


@dataclass(slots=True, eq=False)
class Change:
    """A call of a method that changes a container: what it makes of what memory holds, and what it returns.

    moves  whether others may look at elements while they are moved: they may, where there is no global lock
    """

    base: type
    change: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    limit: int | None
    asks: tuple[str, ...]
    thaw: Callable[[Any], Any]
    moves: bool

    def _runs_code(self, before: Any) -> bool:
        return self.asks != () and any(
            runs_code(each, self.asks) or (self.asks == LESS and type(each) is Reference)  # which have no order
            for each in (*before, *self.arguments)
        )

    def calls_code(self, before: Any) -> bool:
        """Returns whether code of users compares keys."""
        return issubclass(self.base, dict | set) and any(map(is_compared_by_code, (*before, *self.arguments)))

    def written(self, before: Any) -> object:
        if type(before) is MovingContent or self._runs_code(before):
            return UNWRITTEN
        container = unpacked(self.base, before, self.limit)
        is_done = True
        try:
            self._called(container)
        except TypeError:  # two elements have no order: what was done to the list before that stays
            if self.base is not list or same(ListContent(container), before):
                raise
            is_done = False
        given = (each for argument in self.arguments for each in (argument if type(argument) is tuple else [argument]))
        after = packed(self.base, container, before, [*self.arguments, *given] if self.base is set else ())
        meanwhile = self._meanwhile(before, after) if is_done else after
        return UNWRITTEN if same(meanwhile, before) else meanwhile

    def _meanwhile(self, before: Any, after: Any) -> Any:
        """Returns what memory holds until the call ends: the same as then, if no thread could look between."""
        if self.change is emptied:
            return SortingContent() if before else before
        if not self.moves:
            return after
        if self.change is list.sort:
            return MovingContent((ListContent(), after)) if before else after
        return moving(before, after)

    def result(self, before: Any) -> Any:
        if type(before) is MovingContent:
            return WAITS
        if self._runs_code(before):
            return RUNS_CODE
        container = unpacked(self.base, before, self.limit)
        result = self._called(container)
        result = None if result is container else result
        if not self.moves or type(self._meanwhile(before, packed(list, container, before, ()))) is not MovingContent:
            return result
        return MOVES, result

    def _called(self, container: Any) -> Any:
        """Call the method on what memory holds. Refuses what asks a reference of memory to be what its object is."""
        try:
            return self.change(container, *self._resolved(container), **self.keywords)
        except (AttributeError, TypeError) as error:
            if self.asks == LESS and type(error) is TypeError:
                self._complain_of_order(container)
            if name := internal_class(error):
                refuse(f"{type(error).__name__}: {error}. {OF_OURS.format(name)}")
            raise

    def _complain_of_order(self, container: Any) -> None:
        """Raise what the method raises for objects that have no order, in place of references to them, inside tuples
        too."""
        items = [self.thaw(each) for each in container]
        self.change(items, *map(self.thaw, self.arguments), **self.keywords)

    def _resolved(self, container: Any) -> tuple[Any, ...]:
        """The arguments, with those keys for keys that the container has for them."""
        if not self.arguments or not issubclass(self.base, dict | set):
            return self.arguments
        known = KnownKeys(container, self.thaw)
        resolved = known.resolved
        if type(self.change) is KeyByKey:
            return (self.change.portion(self.arguments[0], known),)
        if isinstance(self.change, functools.partial):  # with all that it is given
            return tuple(tuple(map(resolved, given)) for given in self.arguments)
        return (resolved(self.arguments[0]), *self.arguments[1:])


RUNS_CODE: Final = ("code of items has to run",)
"""What an update returns that would ask items which answer by code, and changes nothing."""

WAITS, MOVES = ("another thread moves elements",), "moves elements"
"""What an update returns that has to wait; and, with its result, one that has begun to move elements."""


def update(
    thing: Any,
    change: Callable[..., Any],
    label: str,
    arguments: tuple[Any, ...],
    asks: tuple[str, ...] = (),
    **keywords: Any,
) -> Any:
    """Change a shared container by one update; returns what `change` does. The arguments are those of memory.

    `asks` are the methods of items that it calls: if these are code, nothing is done, and `RUNS_CODE` returned.
    """
    identity, call = _with_change(thing, change, arguments, asks, keywords)
    does = {"update": call.written, "result": call.result, "label": label, "operands": arguments}
    while (result := perform(Kind.UPDATE, identity.cell(""), **does)) is WAITS:
        identity.wait_until_still("")
    if type(result) is tuple and len(result) == 2 and result[0] is MOVES:
        perform(Kind.UPDATE, identity.cell(""), update=_moved, label=f"{label} ends")
        result = result[1]
    return result if result is RUNS_CODE else identity.heap.thaw(result)


@natively
def _with_change(
    thing: Any, change: Callable[..., Any], arguments: tuple[Any, ...], asks: tuple[str, ...], keywords: dict[str, Any]
) -> tuple[Identity, Change]:
    """The identity of a container, and what is done with what it holds."""
    identity = identity_of_container(thing)
    identity.heap.check_change(identity, "")
    base = base_of(type(thing))
    assert base is not None
    moves = base is list and others_look_between()
    limit = identity.content.get(LIMIT)
    return identity, Change(base, change, arguments, keywords, limit, asks, identity.heap.thaw, moves)


def others_look_between() -> bool:
    """Returns whether threads that take no lock may look at a list amid one of its methods: not under a global lock."""
    return current_run().global_lock is None


def _moved(held: Any) -> Any:
    return held[-1]


def emptied(container: Any) -> tuple[Any, ...]:
    """Take all from a list which is to be sorted by code, and so may be changed meanwhile."""
    return tuple(container)


def refilled(container: Any, held: tuple[Any, ...]) -> bool:
    """Give them back; returns whether somebody has changed the list meanwhile, which empties it if it was filled."""
    was_changed = type(container) is not Untouched
    container[:] = held
    return was_changed


def looked_at(thing: Any, *, locks: bool = True) -> Any:
    """A copy of a shared container, as it is at one moment: a load. Some methods of lists take no lock for it."""
    return copied(thing, identity_of_container(thing).load("", locks=locks))


def copied(thing: Any, content: Content, base: type | None = None) -> Any:
    """A copy of a shared container that holds this; a container of Python's that `base` says, or one like it."""
    identity = identity_of_container(thing)
    base = base or base_of(type(thing))
    assert base is not None
    thaw = identity.heap.thaw
    if issubclass(base, dict):
        held: Any = [(thaw(key), thaw(value)) for key, value in content]
    else:
        held = [thaw(value) for value in content]
    if issubclass(base, dict | set):
        with comparing_keys():
            copy = unpacked(base, held)
    else:
        copy = unpacked(base, held, identity.content.get(LIMIT))
    return defaultdict(thaw(identity.content.get(FACTORY)), copy) if base is defaultdict else copy


def is_shared_container(thing: object) -> bool:
    return base_of(type(thing)) is not None and owned_identity(thing) is not None


@natively
def goes_its_own_way(thing: Any) -> bool:
    """Returns whether a thing is a shared container of a class that says itself how it is gone through."""
    kind, base = type(thing), base_of(type(thing))
    own = base is not None and lookup(kind, "__iter__") is not lookup(base, "__iter__")
    return own and is_shared_container(thing)


def identity_of_container(thing: Any) -> Identity:
    known = owned_identity(thing)
    assert known is not None
    return known


def begun_again(self: Any, *_: Any, **__: Any) -> None:
    """Refuse `__init__` of a shared container."""
    refuse(f"{identity_of_container(self)} is shared, and its __init__ is called once more: use its other methods")


def spelled_call(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """Returns how a report names a call of a method."""
    given = [*map(shown, arguments), *(f"{key}={shown(value)}" for key, value in keywords.items())]
    match name, given:
        case "__setitem__", [key, value]:
            return f"[{key}] = {value}"
        case "__delitem__", [key]:
            return f"[{key}] is deleted"
    return f"{name}({', '.join(given)})"
