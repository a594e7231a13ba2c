"""Helpers, blocks, closures and objects through which the same came about have one key."""

from __future__ import annotations

import collections
import contextlib
import enum
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from tests.local_state.pairs import Meeting, meeting_of

MEETINGS: dict[str, Meeting] = {}
meeting = meeting_of(MEETINGS)


@meeting([1, 5], [2, 5])
def helpers_at_any_depth(p):
    x = p.var("x", 0)

    def deep(left):
        if left:
            return 2 * deep(left - 1)
        x.load()
        return x.load()

    return lambda: deep(6) + x.load()


@meeting([1, 5], [0, 5])
def condition_of_a_loop(p):
    """CPython writes it at the beginning and at the end of the loop, up to 3.13."""
    x = p.var("x", 0)

    def thread():
        if x.load() == 1:
            x.load()
        while x.load() == 5:
            pass

    return thread


@meeting([1, None, 5], [2, None, 5])
def with_blocks(p):
    x, m = p.var("x", 0), p.mutex("m")

    def thread():
        x.load()
        with m:
            return x.load() + x.load()

    return thread


@meeting([1, None, 5], [2, None, 5])
def end_of_a_with_block(p):
    x, m = p.var("x", 0), p.mutex("m")

    def thread():
        x.load()
        with m:
            x.load()
        return 0

    return thread


@meeting([1, None, 5, None], [2, None, 5, None])
def after_a_with_block(p):
    x, m = p.var("x", 0), p.mutex("m")

    def thread():
        x.load()
        with m:
            x.load()
        x.load()

    return thread


@meeting([1], [2])
def inside_a_context_made_of_a_generator(p):
    x = p.var("x", 0)

    @contextlib.contextmanager
    def watching():
        x.load()
        yield
        x.store(1)

    def thread():
        with watching():
            x.load()

    return thread


@meeting([1], [2])
def except_block(p):
    x = p.var("x", 0)

    def thread():
        try:
            x.load()
            raise KeyError("a")
        except KeyError:
            x.load()
            raise

    return thread


@meeting([1], [2])
def finally_block(p):
    x = p.var("x", 0)

    def thread():
        try:
            x.load()
        finally:
            x.load()

    return thread


@meeting([1], [2])
def closures(p):
    x = p.var("x", 0)

    def thread():
        count = x.load() * 0

        def step(by=1):
            nonlocal count
            count += by
            return count

        x.load()
        return step()

    return thread


@meeting([1], [2])
def objects_with_attributes(p):
    x = p.var("x", 0)

    class Node:
        def __init__(self, value, after=None):
            self.value = value
            self.after = after

    def thread():
        nodes = Node(1, Node(2))
        nodes.after.after = nodes
        nodes.value = x.load() * 0
        x.load()
        return nodes.after.after.value

    return thread


@meeting([1], [2])
def objects_of_classes_of_a_module(p):
    x = p.var("x", 0)

    def thread():
        pair = _Pair(_Colour.RED, x.load() * 0)
        slotted = _Slotted(3)
        x.load()
        return pair, slotted

    return thread


@meeting([1], [2])
def data_class_of_the_program(p):
    x = p.var("x", 0)

    @dataclass
    class Node:
        value: int
        others: list[int] = field(default_factory=list)

    def thread():
        node = Node(x.load() * 0)
        x.load()
        return node == Node(0)

    return thread


class Pair(NamedTuple):
    """Its annotations are texts, which 3.14 keeps in a function."""

    one: int
    other: int = 0


@meeting([1], [2])
def named_tuple_with_annotations(p):
    x = p.var("x", 0)

    def thread():
        value = Pair(x.load() * 0)
        x.load()
        return value.other

    return thread


@meeting([1], [2])
def named_tuple_of_the_program(p):
    x = p.var("x", 0)
    node = collections.namedtuple("node", "value other")

    def thread():
        value = node(x.load() * 0, 1)
        x.load()
        return value.other

    return thread


@meeting([1], [2])
def methods_and_built_in_functions(p):
    x = p.var("x", 0)

    def thread():
        found = []
        add, biggest, kind, load = found.append, max, int, x.load
        add(x.load() * 0)
        load()
        return biggest(found), kind()

    return thread


@meeting([1], [2])
def helpers_of_the_module(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        return _twice(x)

    return thread


def _twice(x: Any) -> Any:
    return x.load() + _one(x)


def _one(x: Any) -> Any:
    return x.load() * _FACTOR


_FACTOR = 2


@dataclass(frozen=True)
class _Pair:
    left: object
    right: object


class _Slotted:
    __slots__ = ("number", "unset")

    def __init__(self, number: int) -> None:
        self.number = number


class _Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize("name", MEETINGS)
def test_one_future_has_one_key(name: str) -> None:
    MEETINGS[name].check()
