# ruff: noqa: B007
"""Loops, operands and containers that came to hold the same have one key."""

from __future__ import annotations

import collections

import pytest

from tests.local_state.pairs import Meeting, meeting_of

MEETINGS: dict[str, Meeting] = {}
meeting = meeting_of(MEETINGS)


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


@pytest.mark.parametrize("name", MEETINGS)
def test_one_future_has_one_key(name: str) -> None:
    MEETINGS[name].check()
