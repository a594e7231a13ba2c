"""The least programs on which what is printed runs a class twice, or misses one (docs/algorithms.md, "RF-SMC")."""

from __future__ import annotations

import pytest

import mcr


@mcr.program
def two_ways_to_one_schedule(p):
    """The first thread's read is mutated in two traces, in which the others' independent events come in two orders."""
    x = p.var("x", 0)

    def read_and_write():
        x.load()
        x.store(1)

    p.thread(x.load)
    p.thread(read_and_write)
    p.thread(x.store, 1)


@mcr.program
def updates(p, first=1, others=1):
    """One thread with as many updates, and as many threads with one."""
    x = p.var("x", 0)

    def update():
        for _ in range(first):
            x.fetch_add(1)

    p.thread(update)
    for _ in range(others):
        p.thread(x.fetch_add, 1)


@mcr.program
def two_regions(p):
    mutex = p.mutex("mutex")

    def region():
        with mutex:
            pass

    p.thread(region)
    p.thread(region)


def _found(program: mcr.Program, model: str, algorithm: str) -> tuple[int, int, mcr.Verdict]:
    result = mcr.check(program, model, objective="rf", algorithm=algorithm)
    return result.statistics.executions, result.statistics.redundant, result.verdict


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_sequences_that_differ_in_order_are_one_schedule(model: str) -> None:
    assert _found(two_ways_to_one_schedule, model, "rf-smc") == (6, 0, mcr.Verdict.VERIFIED)
    assert _found(two_ways_to_one_schedule, model, "rf-smc:paper") == (7, 1, mcr.Verdict.VERIFIED)


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_updates_need_more_than_the_writes_of_the_extension(model: str) -> None:
    assert _found(updates(first=2), model, "rf-smc") == (3, 0, mcr.Verdict.VERIFIED)
    assert _found(updates(first=2), model, "rf-smc:paper") == (2, 0, mcr.Verdict.INCOMPLETE)
    assert _found(updates(others=2), model, "rf-smc") == (6, 0, mcr.Verdict.VERIFIED)
    assert _found(updates(others=2), model, "rf-smc:paper") == (4, 0, mcr.Verdict.INCOMPLETE)


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_a_lock_is_somebody_elses_turn(model: str) -> None:
    assert _found(two_regions, model, "rf-smc") == (2, 0, mcr.Verdict.VERIFIED)
    assert _found(two_regions, model, "rf-smc:paper") == (1, 0, mcr.Verdict.INCOMPLETE)
