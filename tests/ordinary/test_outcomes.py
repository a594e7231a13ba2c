"""An outcome says what containers hold: where they hold other things there are two, though they are called alike."""

from __future__ import annotations

from collections import deque

import pytest

import mcr
from tests.ordinary.closures import once
from tests.ordinary.test_objects import outcomes


class Bag:
    def __init__(self):
        self.items = [1, 2]
        self.table = {"a": [1]}

    def add(self, item):
        self.items.append(item)

    def copy(self):
        return list(self.items)

    def put(self, key, item):
        self.table[key] = [item]


@mcr.program
def returned(p):
    bag = p.share(Bag())
    p.thread(bag.add, 3)
    p.thread(bag.add, 4)
    p.final(lambda: bag.items)


@mcr.program
def made(p):
    bag = p.share(Bag())
    p.thread(bag.add, 3)
    p.thread(bag.add, 4)
    p.final(lambda: (sorted(bag.items), {len(bag.items)}, deque(bag.items), frozenset(bag.items)))


@mcr.program
def of_threads(p):
    bag = p.share(Bag())
    p.thread(bag.add, 3)
    p.thread(bag.copy)


@mcr.program
def inside(p):
    bag = p.share(Bag())
    p.thread(bag.put, "a", 2)
    p.thread(bag.put, "a", 3)
    p.final(lambda: bag.table)


@mcr.program
def in_itself(p):
    bag = p.share(Bag())

    def tie():
        bag.items.append(bag.items)

    p.thread(tie)
    p.final(lambda: bag.items)


EXPECTED = {
    returned: {"[1, 2, 3, 4]", "[1, 2, 4, 3]"},
    made: {
        "([1, 2, 3, 4], {4}, [1, 2, 3, 4], frozenset({1, 2, 3, 4}))",
        "([1, 2, 3, 4], {4}, [1, 2, 4, 3], frozenset({1, 2, 3, 4}))",
    },
    of_threads: {"(None, [1, 2])", "(None, [1, 2, 3])"},
    inside: {"{'a': [2]}", "{'a': [3]}"},
    in_itself: {"[1, 2, bag.items]"},
}


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "exhaustive"])
@pytest.mark.parametrize("program", EXPECTED, ids=lambda program: program.name)
def test_containers_are_told_by_what_they_hold(program: mcr.Program, algorithm: str) -> None:
    assert outcomes(program, algorithm=algorithm) == EXPECTED[program]


def test_what_failed_is_played_again() -> None:
    @mcr.program
    def fails(p):
        bag = p.share(Bag())
        p.thread(bag.add, 3)

        @p.final
        def all_is_there():
            assert len(bag.items) == 2
            return bag.items

    result = mcr.check(fails, "sc")
    assert mcr.replay(fails, result.failures[0]).failure == result.failures[0].failure


@mcr.program
def beside_each_other(p):
    calls = p.share([])

    def make():
        calls.append(1)
        return len(calls)

    get = p.share(once(make))
    threads = [p.thread(get) for _ in range(2)]
    p.final(lambda: (threads[0].join(), threads[1].join(), calls))


@pytest.mark.parametrize("model", ["sc", "pso"])
def test_what_is_told_already_tells_local_states_apart(model: str) -> None:
    """While one container is looked at, what was returned beside it is known, and what was looked at before."""
    merged = mcr.check(beside_each_other, model, objective="outcomes")
    whole = mcr.check(beside_each_other, model, objective="outcomes", options=mcr.Options(merge=False))
    assert merged.outcomes == whole.outcomes
    assert "(2, 1, [1, 1])" in merged.outcomes
