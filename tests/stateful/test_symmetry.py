"""Interchangeable threads: with and without them everything is found, and they are told apart where code can.

For more: `python -m tests.stateful.test_symmetry PROGRAMS`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from replay.frontend.declarations import Declarations
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests import random_search
from tests.amount import amount, one_of
from tests.random_programs import PROFILES, RandomProgram
from tests.support import compare

OBJECTIVES = ("states", "failures", "outcomes", "deadlocks")


def with_equal_threads(program: RandomProgram) -> RandomProgram:
    """The same with several threads that run the first block, and at most one that runs another."""
    first, *others = program.threads
    count = 3 if len(first) <= 2 and not others else 2
    return program._replace(threads=(first,) * count + tuple(others[:1]))


def judge(program: RandomProgram, models: Iterable[MemoryModel]) -> int:
    """Compare with brute force under these models; returns how often that could decide."""
    decided = 0
    for model in models:
        found = compare(program.build(), model, OBJECTIVES, max_machine_states=2_000, algorithm="stateful")
        assert not found.differences, (program, model.name, found.differences)
        decided += found.decided
    return decided


def search(profile: str, programs: int, seed: int, models: Callable[[RandomProgram], Iterable[MemoryModel]]) -> str:
    """What is wrong with the first program on which the two disagree; "" if there is none."""
    return random_search.search(
        profile, programs, seed, lambda program: judge(with_equal_threads(program), models(program))
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs(profile: str) -> None:
    """Each under one of the models, other programs under others."""
    models = list(MODELS.values())
    assert not search(profile, amount(1, 100), 20261124, lambda program: one_of(models, repr(program)))


# -- who may be taken for another -------------------------------------------------------


def explored(program: mcr.Program, *, symmetry: bool, model: str = "tso") -> Result:
    options = Options(symmetry=symmetry, keep_going=True)
    return mcr.check(program, model, algorithm="stateful", options=options)


def states(result: Result) -> int:
    return result.statistics.global_states


def counter(p: Declarations) -> None:
    x = p.var("x", 0)

    def add() -> None:
        x.fetch_add(1)
        x.fetch_add(1)

    for _ in range(4):
        p.thread(add)

    @p.final
    def check() -> int:
        return x.load()


def under_a_mutex(p: Declarations) -> None:
    x, m = p.var("x", 0), p.mutex("m")

    def add() -> None:
        with m:
            x.store(x.load() + 1)

    for _ in range(4):
        p.thread(add)


def with_arguments(p: Declarations) -> None:
    x = p.var("x", 0)
    for _ in range(2):
        for number in (1, 2):
            p.thread(x.fetch_add, number)


@pytest.mark.parametrize("function", [counter, under_a_mutex, with_arguments])
@pytest.mark.parametrize("model", MODELS)
def test_threads_that_do_the_same(function, model) -> None:
    with_it, without = (explored(mcr.program(function), symmetry=each, model=model) for each in (True, False))
    assert states(with_it) < states(without)
    assert with_it.verdict is without.verdict is Verdict.VERIFIED
    assert with_it.statistics.local_states == without.statistics.local_states


def joined(p: Declarations) -> None:
    x = p.var("x", 0)
    first, _ = p.thread(x.fetch_add, 1), p.thread(x.fetch_add, 1)

    def waits() -> None:
        first.join()
        assert x.load() == 2

    p.thread(waits)


def starting_others(p: Declarations) -> None:
    x = p.var("x", 0)

    def starts() -> None:
        p.spawn(x.fetch_add, 1)

    p.thread(starts)
    p.thread(starts)


def making_records(p: Declarations) -> None:
    x = p.var("x", None)

    def makes() -> None:
        x.store(p.record("node", value=1))

    p.thread(makes)
    p.thread(makes)


def doing_other_things(p: Declarations) -> None:
    x = p.var("x", 0)
    p.thread(x.fetch_add, 1)
    p.thread(x.fetch_add, 2)


@pytest.mark.parametrize("function", [joined, starting_others, making_records, doing_other_things])
@pytest.mark.parametrize("model", MODELS)
def test_threads_that_can_be_told_apart(function, model) -> None:
    with_it, without = (explored(mcr.program(function), symmetry=each, model=model) for each in (True, False))
    assert states(with_it) == states(without)
    assert [each.failure for each in with_it.failures] == [each.failure for each in without.failures]
    assert with_it.verdict is without.verdict


def test_a_failure_is_shown_by_threads_of_the_program() -> None:
    """What threads that were taken for each other do is told of the threads that do it."""

    @mcr.program
    def racing(p: Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", 0)

        def add() -> None:
            seen = x.load()
            x.store(seen + 1)
            y.fetch_add(1)
            if y.load() == 3 and x.load() == 1:
                raise ValueError

        for _ in range(3):
            p.thread(add)

    for model in MODELS:
        with_it, without = (explored(racing, symmetry=each, model=model) for each in (True, False))
        (found,), (expected,) = with_it.failures, without.failures
        assert found.failure == expected.failure
        assert len(found.steps) == len(expected.steps)


def test_who_holds_a_lock_is_no_secret() -> None:
    """Of two threads that hold each other's lock each waits for the other, though they were taken for one."""

    @mcr.program
    def holding(p: Declarations) -> None:
        m, stop = p.mutex("m"), p.var("stop", 0)

        def takes() -> None:
            m.lock()
            p.assume(stop.load() == 1)
            m.unlock()

        p.thread(takes)
        p.thread(takes)

    # Who waits for the mutex waits for a thread that an assumption stopped: no deadlock.
    assert explored(holding, symmetry=True).verdict is explored(holding, symmetry=False).verdict is Verdict.VERIFIED


if __name__ == "__main__":
    for each in PROFILES:
        print(each, search(each, int(sys.argv[1]), 7, lambda program: MODELS.values()) or "no difference", flush=True)
