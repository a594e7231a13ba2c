"""Look-ups of keys with a `__hash__` and `__eq__` of Python: interpreted, in CPython's order."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from replay.interpreter.execution import Execution
from tests.interpreter import spies
from tests.interpreter.against_native import agree, same
from tests.interpreter.leaks import leaks
from tests.interpreter.spies import Fails, Number, logged


class Word(str):
    __hash__ = logged(lambda self: 7)
    __eq__ = logged(lambda self, other: str.__eq__(self, other))


class Pair(tuple[Any, ...]):
    __hash__ = logged(lambda self: 7)


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    __hash__ = logged(lambda self: self.value)
    __eq__ = logged(lambda self, other: self.value == other.value)


@dataclasses.dataclass(frozen=True)
class Point:
    x: Any
    y: Any


def look_up(make: Any) -> list[Any]:
    """What each way to look up a key results in; `make(1)` is equal to another `make(1)`."""
    first, again, other = make(1), make(1), make(2)
    things: dict[Any, Any] = {}
    things[first] = 1
    things[again] = 2
    found: list[Any] = [list(things.items()), again in things, other in things, things.get(other, 5), things[again]]
    try:
        found.append(things[other])
    except KeyError as error:
        found.append(error.args[0] is other)
    found += [things.setdefault(other, 9), things.pop(again), list(things.items()), things.pop(again, "none")]
    del things[other]
    try:
        del things[other]
    except KeyError as error:
        found.append(error.args[0] is other)
    members = {first, again}
    members.add(other)
    members.discard(again)
    found += [len(members), again in members, again in frozenset(members), {first: 1, again: 2, other: 3}]
    found += [dict.fromkeys((first, other), 1), set([first, again])]  # noqa: C405
    found += [dict.fromkeys([first, again]), dict([(first, 1), (again, 2)]), type(first).__name__]  # noqa: C406
    return found


def in_a_tuple(number: int) -> Any:
    return "a", Slotted(number), (number,)


def in_tuples(number: int) -> Any:
    return (Number(number), Slotted(3)), 1, Slotted(number)


KINDS: list[Any] = [
    *(Number, lambda n: Word(str(n)), lambda n: Pair((n,)), Slotted, lambda n: Point(n, "y"), in_a_tuple, in_tuples),
]


@pytest.mark.parametrize("make", KINDS)
def test_look_ups(make: Any) -> None:
    same(lambda: look_up(make))


@pytest.mark.parametrize("make", [Number, Slotted, in_a_tuple, in_tuples])
def test_nothing_is_called_natively(make: Any) -> None:
    with leaks(spies.__file__) as found:
        Execution().call(look_up, make)
    assert not found


def test_keys_of_several_classes_with_one_hash() -> None:
    def use() -> Any:
        things = {Word("a"): 1, Pair((1,)): 2, 7: 3}
        return [things[7], things[Word("a")], things[Pair((1,))], Word("b") in things, Slotted(8) in things]

    assert Execution().call(use) == use()


def test_keys_that_fail() -> None:
    def use() -> Any:
        things: dict[Any, Any] = {1: 2}
        things[Fails()] = 3
        return things

    same(use)
    agree(dict.get, lambda call: call({1: 2}, Fails()))
    agree(set.add, lambda call: call({1}, Fails()))


def test_derived_classes_are_not_seen() -> None:
    class Base:
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    class Derived(Base):
        def __hash__(self) -> int:
            return 3

        __eq__ = Base.__eq__

    def use() -> Any:
        return {Derived(): 1}, Derived.__subclasses__(), Base.__subclasses__()

    assert Execution().call(use)[1:] == ([], [Derived])
