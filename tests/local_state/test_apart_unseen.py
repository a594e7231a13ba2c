# ruff: noqa: F841
"""State that the run keeps for a thread is told apart; where state in C cannot be seen, there is no key."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


# -- what the run keeps -----------------------------------------------------------


@trap([0], [1], [0, 0])
def records_by_number(p):
    x = p.var("x", 0)

    def thread():
        if x.load():
            p.record("node", value=0)
        x.load()
        x.store(p.record("node", value=0))

    return thread


@trap([0], [1], [0, 0])
def records_by_field(p):
    x = p.var("x", 0)

    def thread():
        node = p.record("node", value=x.load())
        x.load()
        node.value.load()

    return thread


@trap([0], [1], [None])
def request_of_a_dead_value(p):
    x = p.var("x", 0)

    def thread():
        x.store(x.load())

    return thread


@trap([None, 0], [0, 1], [None, 0, 0])
def locks_held(p):
    x, m = p.var("x", 0), p.mutex("m")

    def thread():
        if not m.try_lock():
            x.load()
        x.load()
        m.unlock()

    return thread


@trap([0], [1], [0, 0])
def wait_or_load(p):
    x = p.var("x", 0)

    def thread():
        test = x.load()

        def condition():
            return x.load() > 3

        if test:
            p.wait_until(condition)
        else:
            condition()

    return thread


# -- state in C that cannot be seen -----------------------------------------------


@trap([1], [2], [0])
def random_numbers(p):
    x = p.var("x", 0)

    def thread():
        generator = random.Random(x.load())
        x.load()
        return generator.random()

    return thread


@trap([1], [2], [0])
def counter_of_itertools(p):
    x = p.var("x", 0)

    def thread():
        counter = itertools.count(x.load())
        x.load()
        return next(counter)

    return thread


@trap(["ab"], ["cb"], [0])
def match_of_an_expression(p):
    x = p.var("x", 0)

    def thread():
        found = re.match("(.)b", x.load())
        x.load()
        return found[1]

    return thread


@trap([1], [2], [0])
def chain_of_itertools(p):
    x = p.var("x", 0)

    def thread():
        total = 0
        for value in itertools.chain([x.load()], [x.load()]):
            total = total * 10 + value
        return total

    return thread


@trap([0], [1], [0])
def object_that_does_something_at_its_end(p):
    x = p.var("x", 0)

    class Guard:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            _KEPT.append(self.number)

    def thread():
        _KEPT.clear()
        guard = Guard(x.load())
        x.load()
        guard = None
        return tuple(_KEPT)

    return thread


@trap([0], [1], [0])
def inside_a_constructor(p):
    x = p.var("x", 0)

    class Node:
        def __init__(self):
            pass

    class Loading:
        def __init__(self, kept):
            self.kept = kept
            self = None
            x.load()

    def thread():
        return Loading(x.load()).kept

    return thread


@trap([0], [1], [0])
def comparison_that_loads(p):
    x = p.var("x", 0)

    class Cell:
        def __init__(self, kept):
            self.kept = kept

        def __lt__(self, other):
            kept, self = self.kept, None
            return x.load() < other.kept + 0 * kept

        def __gt__(self, other):
            return NotImplemented

    def thread():
        return Cell(0) < Cell(x.load())

    return thread


@trap([0], [1], [0])
def property_that_loads(p):
    x = p.var("x", 0)

    class Cell:
        def __init__(self, kept):
            self.kept = kept

        @property
        def value(self):
            kept = self.kept
            x.load()
            return kept

    def thread():
        return Cell(x.load()).value

    return thread


_KEPT: list[Any] = []


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
