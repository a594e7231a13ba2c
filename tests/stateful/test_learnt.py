"""Thread code runs once for all values of memory that tell the thread the same; each that tells more is told apart."""

from __future__ import annotations

import queue

import pytest

import mcr
from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.explorers.stateful.explorer import Stateful
from replay.frontend.program import Program
from replay.machine.local_graphs import LocalGraphs
from replay.world.memory_models import memory_model
from results.bench import everyday


@mcr.program
def kinds(p: mcr.Declarations) -> None:
    """Fails under: SC, TSO, PSO"""
    found = p.queue()

    def ask() -> None:
        assert type(found.get()) is int

    p.thread(found.put, 1)
    p.thread(found.put, True)
    p.thread(ask)


@mcr.program
def full(p: mcr.Declarations) -> None:
    """Fails under: SC, TSO, PSO"""
    places = p.queue(2)

    def put() -> None:
        try:
            places.put_nowait(0)
        except queue.Full:
            raise AssertionError("no room for the third") from None

    for _ in range(3):
        p.thread(put)


@mcr.program
def given_back(p: mcr.Declarations, n: int = 3) -> None:
    free, taken, lock = p.semaphore(2), p.var("taken", 0), p.rwlock("lock")

    def thread() -> None:
        if free.acquire(blocking=False):
            with lock.reader:
                seen = taken.load()
            while not taken.compare_exchange(seen, seen + 1):
                seen = taken.load()
            free.release()

    for _ in range(n):
        p.thread(thread)

    @p.final
    def somebody_did() -> None:
        assert 2 <= taken.load() <= n


@mcr.program
def large(p: mcr.Declarations) -> None:
    """Numbers that CPython makes anew each time."""
    found, seen = p.queue(), p.var("seen", 0)
    for number in range(2):
        p.thread(found.put, 10**6 + number)
    p.thread(lambda: seen.store(found.get() - 10**6))


PROGRAMS = (
    kinds(), full(), given_back(), large(), everyday.producers(n=2, items=2), everyday.work_pool(workers=2, jobs=2),
    everyday.event_and_condition(n=2), everyday.readers_writers(), everyday.hash_chain(n=2),
)  # fmt: skip


def graphs(program: Program, model: str, *, reduce: bool) -> tuple[mcr.Result, LocalGraphs]:
    options = Options(keep_going=True, shorten=False, paranoid=True, reduce=reduce, symmetry=False)
    session = open_session(
        program, memory_model(model), objective="states, outcomes", algorithm="stateful", options=options
    )
    result = session.explore()
    assert isinstance(session.explorer, Stateful)
    seen = session.unfolding
    assert isinstance(seen, LocalGraphs)
    return result, seen


@pytest.mark.parametrize("model", ["sc", "pso"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_what_is_found_is_the_same_if_code_runs_for_each_value(program: Program, model: str) -> None:
    (shared, few), (apart, all_of_them) = (graphs(program, model, reduce=reduce) for reduce in (True, False))
    assert shared.verdict is apart.verdict
    assert shared.outcomes == apart.outcomes
    assert shared.statistics.local_states == apart.statistics.local_states
    assert {trace.failure and trace.failure.identity for trace in shared.failures} == {
        trace.failure and trace.failure.identity for trace in apart.failures
    }
    assert few.runs <= all_of_them.runs == len(all_of_them.edges)


def test_what_a_queue_holds_is_no_matter_for_who_puts() -> None:
    _, shared = graphs(everyday.producers(n=3, items=2), "sc", reduce=True)
    assert shared.runs < len(shared.edges) / 2


@pytest.mark.parametrize("program", [kinds(), full()], ids=lambda program: program.name)
def test_results_of_another_type_and_exceptions_are_told_apart(program: Program) -> None:
    assert mcr.check(program, "sc", algorithm="stateful").failures
