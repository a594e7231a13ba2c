"""Order of the sets of shared objects that one thread has: CPython goes by addresses, which are others in every run.

Where code of the user goes through a small set, its order is a choice, and all are explored. Larger sets, and loops of
Python's own library, have one order of many, by the names of their members: `Assumed.orders` notes it.
"""

from __future__ import annotations

import functools
import operator
from collections import OrderedDict
from itertools import permutations
from typing import Any

from replay.code.lines import is_of_library
from replay.code.running_thread import heap_here, inside_run, perform, refuse
from replay.frontend.ordinary.asking import ITERATING
from replay.frontend.ordinary.chance import ORDERED
from replay.frontend.ordinary.values import Reference
from replay.interpreter.calls import refuse_here
from replay.interpreter.execution import running
from replay.interpreter.library.iterators import LibraryIterator
from replay.interpreter.library.views import KEYS_CHANGED
from replay.interpreter.lookup import identity
from replay.interpreter.natives import natively, steps_natively
from replay.interpreter.set_orders import goes_by_address
from replay.world.operation import Kind

SETS = frozenset({set, frozenset})

MOST = 3
"""Members of a set all orders of which are explored."""

_STARTING = frozenset(map(id, (iter, set.__iter__, frozenset.__iter__)))
_SHOWING = frozenset(map(id, (set.__repr__, frozenset.__repr__)))
_FROM_KEYS = tuple(vars(kind)["fromkeys"] for kind in (dict, OrderedDict))
_TELLING = frozenset((*ITERATING, *_STARTING, *_SHOWING, *map(id, (set.pop, *_FROM_KEYS))))
"""By identity, native callables whose result depends on the order of a set that they are given."""

_NAMES = frozenset({"iterable", "data"})
"""Names under which they take what they go through."""

_OF_ONE = frozenset(map(id, (min, max, iter)))
"""By identity, what goes through its argument if it is given one only."""

_AT: dict[int, int] = {id(functools.reduce): 1, id(operator.countOf): 0, id(operator.indexOf): 0}
"""By the identity of functions that go through one argument only, its place."""


def instead_of_set(native: Any, arguments: list[Any], place: int, shared: dict[int, Any]) -> Any:
    """Returns what is called in the place of native code that is given a set at a place; None for that code itself."""
    key, things = id(native), arguments[place]
    if key not in _TELLING or len(things) < 2 or not goes_by_address(things, shared):
        return None
    if (key in _OF_ONE and len(arguments) > 1) or _AT.get(key, place) != place:
        return None
    if native is list.__setitem__ and type(arguments[1]) is not slice:
        return None
    return _InOrder(native, place)


def check_no_set(native: Any, keywords: dict[str, Any], shared: dict[int, Any]) -> None:
    """Refuse native code that is given a set by a keyword, and whose result depends on its order."""
    for name in _NAMES.intersection(keywords):
        each = keywords[name]
        if type(each) in SETS and id(native) in _TELLING and len(each) > 1 and goes_by_address(each, shared):
            refuse(f"{name} of {native.__name__} is a set of objects, which has no order: give it without its name")


class _InOrder:
    """Interpreted: native code that is given a set in some order."""

    def __init__(self, native: Any, place: int) -> None:
        self.native, self.place = native, place

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        native, place = self.native, self.place
        things = arguments[place]
        order = known_order(things, native)
        if order is None:
            order = keep(things, perform(Kind.CHOOSE, choices=possible_orders(things), label=ORDERED))
        if starts(native):
            return SetIterator(things, order)
        if shows(native):
            return shown(things, [repr(each) for each in order])
        if native is set.pop:
            set.remove(things, order[0])
            return order[0]
        return native(*arguments[:place], order, *arguments[place + 1 :], **keywords)


@natively
def known_order(things: Any, native: Any) -> list[Any] | None:
    """Returns the members of a set in their order; None if it is to be chosen."""
    execution = running()
    order = execution.orders.of(things)
    if order is not None and all(each in order for each in things):
        return [each for each in order if each in things]
    by_name = _by_name(things)
    asking = next((each for each in reversed(execution.frames) if not each.decoded.hidden), None)
    if asking is not None and is_of_library(asking.code) and (id(native) in _STARTING or native is sorted):
        execution.assumed.orders |= native is not sorted
        return by_name
    if len(by_name) > MOST or not inside_run():
        execution.assumed.orders = True
        execution.orders.keep(things, tuple(by_name))
        return by_name
    return None


@natively
def possible_orders(things: Any) -> tuple[tuple[Reference, ...], ...]:
    """Returns all orders of a set, of what memory holds for its members."""
    shared = heap_here().shared
    return tuple(permutations(shared[identity(each)].reference for each in _by_name(things)))


@natively
def keep(things: Any, chosen: tuple[Reference, ...]) -> list[Any]:
    """Let a set have the order that was chosen; returns its members."""
    shared = heap_here().shared
    order = sorted(things, key=lambda each: chosen.index(shared[identity(each)].reference))
    running().orders.keep(things, tuple(order))
    return order


def _by_name(things: Any) -> list[Any]:
    shared = heap_here().shared
    return sorted(things, key=lambda each: shared[identity(each)].reference.name)


@natively
def starts(native: Any) -> bool:
    return id(native) in _STARTING


@natively
def shows(native: Any) -> bool:
    return id(native) in _SHOWING


@natively
def shown(things: Any, items: list[str]) -> str:
    """Returns the text of a set whose members are shown so."""
    text = f"{{{', '.join(items)}}}"
    return text if type(things) is set else f"frozenset({text})"


class SetIterator(LibraryIterator):
    """Goes through a set in an order. `things` is None after the end."""

    __slots__ = ("order", "position", "things")

    def __init__(self, things: Any, order: list[Any]) -> None:
        self.things, self.order, self.position = things, order, 0

    def __next__(self) -> Any:
        if self.things is None:
            raise StopIteration
        check_members(self)
        if self.position == len(self.order):
            self.things = None
            raise StopIteration
        self.position += 1
        return self.order[self.position - 1]

    def __length_hint__(self) -> int:
        return 0 if self.things is None else len(self.order) - self.position


steps_natively(vars(SetIterator)["__next__"])


@natively
def check_members(iterator: SetIterator) -> None:
    """Raise RuntimeError if a set has changed its size since, as Python does; refuse one that has other members."""
    if len(iterator.things) != len(iterator.order):
        raise RuntimeError("Set changed size during iteration")
    if not all(each in iterator.things for each in iterator.order):
        refuse_here(KEYS_CHANGED)
