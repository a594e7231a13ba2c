"""Several explorations in one process, each in a thread of its own."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import mcr
from tests.replay.test_updates_and_waits import caught, wait_that_raises, yields


@mcr.program
def lost_update(p: mcr.Declarations) -> None:
    x = p.var("x", 0)

    def increment() -> None:
        x.store(x.load() + 1)

    p.thread(increment)
    p.thread(increment)

    @p.final
    def both_count() -> None:
        assert x.load() == 2


TASKS = [(caught, "pso"), (wait_that_raises, "tso"), (lost_update, "sc"), (yields.returning_results(), "tso")]


@pytest.mark.parametrize(
    ("algorithm", "solver"), [("auto", None), ("mcr", "minisat22"), ("mcr", "cadical195"), ("mcr", "z3")]
)
def test_explorations_go_on_in_several_threads(algorithm: str, solver: str | None) -> None:
    options = mcr.Options() if solver is None else mcr.Options(solver=solver)

    def explored(program: mcr.Program, model: str) -> object:
        result = mcr.check(program, model, algorithm=algorithm, options=options)
        return result.verdict, result.outcomes, result.failures, result.statistics.local_states

    alone = [explored(*task) for task in TASKS]
    with ThreadPoolExecutor(len(TASKS)) as pool:
        for _ in range(3):
            assert list(pool.map(explored, *zip(*TASKS, strict=True))) == alone


def test_a_program_may_be_defined_where_python_threads_are_used() -> None:
    lock = threading.Lock()
    verdicts = []

    @mcr.program
    def local(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def twice() -> None:
            x.store(1)
            assert x.load() == 1

        p.thread(twice)
        p.thread(twice)

    def explore() -> None:
        verdict = mcr.check(local).verdict
        with lock:
            verdicts.append(verdict)

    explorers = [threading.Thread(target=explore) for _ in range(2)]
    for explorer in explorers:
        explorer.start()
    for explorer in explorers:
        explorer.join()
    assert verdicts == [mcr.Verdict.VERIFIED] * 2
