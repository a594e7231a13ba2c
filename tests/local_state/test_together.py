# ruff: noqa: B007
"""Histories that leave a thread with one future, and in no doubt, share a key."""

from __future__ import annotations

import collections
import contextlib
import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.local_state.driving import Body, Driver


@dataclass(frozen=True)
class Meeting:
    """A thread that forgets how `first` and `second` differ."""

    body: Body
    first: Sequence[object]
    second: Sequence[object]


MEETINGS: dict[str, Meeting] = {}


def meeting(first: Sequence[object], second: Sequence[object]) -> Callable[[Body], Body]:
    def add(body: Body) -> Body:
        MEETINGS[body.__name__] = Meeting(body, first, second)
        return body

    return add


@meeting([], [])
def beginning(p):
    x = p.var("x", 0)
    return lambda: x.load()


@meeting([1], [2])
def value_that_nobody_reads(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        x.load()
        value = 3
        return value

    return thread


@meeting([1], [2])
def value_used_before(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        big = value > 0
        x.load()
        return big

    return thread


@meeting([1, 2, 9, 4], [3, 3, 3, 3])
def loop_over_a_range(p):
    x = p.var("x", 0)

    def thread():
        for number in range(6):
            latest = x.load()
            if latest > 9:
                return number
        return None

    return thread


@meeting([1, 2], [3, 3])
def loop_over_an_array(p):
    a = p.array("a", [0] * 4)

    def thread():
        for cell in a:
            if cell.load() > 9:
                return cell.name
        return None

    return thread


@meeting([1, 2], [3, 3])
def loop_over_a_list_and_a_tuple(p):
    a = p.array("a", [0] * 4)

    def thread():
        for number in [3, 1]:
            for other in (0, 2):
                a[number].load()
                a[other].load()

    return thread


@meeting([1, 2, 5], [3, 3, 5])
def loop_over_pairs(p):
    a = p.array("a", [0] * 4)

    def thread():
        found = 0
        for number, (cell, other) in enumerate(zip(a, reversed(a), strict=True)):
            if cell.load() == other.load():
                found = number
        return found

    return thread


@meeting([1, 2], [3, 3])
def loop_over_a_dictionary_and_a_set(p):
    a = p.array("a", [0] * 4)

    def thread():
        named = {"first": 1, "second": 2}
        for name, number in named.items():
            for each in {number, 3}:
                a[each].load()
        return name

    return thread


@meeting([1], [2])
def operand_that_is_the_same(p):
    x = p.var("x", 0)
    return lambda: (x.load() > 0) + x.load()


@meeting([1, 5], [2, 5])
def helpers_at_any_depth(p):
    x = p.var("x", 0)

    def deep(left):
        if left:
            return 2 * deep(left - 1)
        x.load()
        return x.load()

    return lambda: deep(6) + x.load()


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
def containers(p):
    x = p.var("x", 0)

    def thread():
        kept = {
            "list": [1, 2.5, None],
            "set": {x.load() * 0, 8, 16},
            "frozen": frozenset({"a", "b"}),
            "queue": collections.deque([1], 4),
            "counted": collections.defaultdict(list, a=[1]),
            "ordered": collections.OrderedDict(b=1, a=2),
            "counter": collections.Counter("abba"),
            "bytes": bytearray(b"ab"),
            "slice": slice(1, None),
        }
        x.load()
        return str(kept)

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


@meeting([1, 2], [3, 3])
def generator_thread(p):
    x = p.var("x", 0)

    def helper():
        yield x.op.load()
        return (yield x.op.load())

    def thread():
        yield x.op.load()
        return (yield from helper())

    return thread


@meeting([1, 2], [3, 3])
def generator_that_loads(p):
    a = p.array("a", [0] * 3)

    def big():
        for number, cell in enumerate(a):
            if cell.load() > 5:
                yield number

    def thread():
        for number in big():
            return number
        return None

    return thread


@meeting([1, 2], [3, 3])
def any_and_all(p):
    a = p.array("a", [0] * 3)
    return lambda: any(cell.load() > 5 for cell in a) or all(cell.load() for cell in a)


@meeting([6, 7, 8], [6, 9, 8])
def all_after_any(p):
    a = p.array("a", [0] * 3)
    return lambda: any(cell.load() > 5 for cell in a) and all(cell.load() for cell in a)


@meeting([1, 2], [2, 1])
def after_max(p):
    a = p.array("a", [0] * 2)

    def thread():
        biggest = max(cell.load() for cell in a)
        a[0].load()
        return biggest

    return thread


@meeting([1, 2], [2, 2])
def waits(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        p.wait_until(lambda: x.load() > 1 and x.load() > 3)

    return thread


@meeting([1, None], [2, None])
def condition_variables(p):
    x, m = p.var("x", 0), p.mutex("m")
    c = p.condition("c", m)

    def thread():
        x.load()
        with m:
            c.wait_for(lambda: x.load() > 1)

    return thread


TESTED_WAIT = [None, 0, ((), ()), None]
MEETINGS["waiting_for_a_condition"] = Meeting(condition_variables, [1, *TESTED_WAIT], [2, *TESTED_WAIT])


@meeting([1], [2])
def records(p):
    x = p.var("x", 0)

    def thread():
        node = p.record("node", value=x.load() * 0)
        node.value.load()
        return p.record("node", other=node)

    return thread


@meeting([1], [2])
def spawning(p):
    x = p.var("x", 0)

    def child(number):
        x.store(number)

    def thread():
        x.load()
        child_ = p.spawn(child, 3)
        child_.join()

    return thread


@meeting([1, None], [2, None])
def compare_and_exchange(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        x.store(1)
        while not x.compare_exchange(1, 2):
            x.load()

    return thread


@meeting([1], [2])
def helpers_of_the_module(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        return _twice(x)

    return thread


@meeting([1], [2])
def ended(p):
    x = p.var("x", 0)

    def thread():
        return x.load() > 0, [None][0]

    return thread


@meeting([1], [2])
def failed(p):
    x = p.var("x", 0)

    def thread():
        if x.load() < 5:
            raise ValueError("small")

    return thread


@meeting([1], [2])
def blocked(p):
    x = p.var("x", 0)

    def thread():
        p.assume(x.load() > 5)

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
    meeting = MEETINGS[name]
    driver = Driver(meeting.body)
    first = driver.key(meeting.first)
    assert first is not None, driver.keys.doubt
    assert first == driver.key(meeting.second)
