"""Whatever algorithm looks for whatever by several processes: it tells what it tells by one."""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from mcr.explorers.registry import ALGORITHMS
from tests.amount import one_of
from tests.jobs.together import differs, shared_at_once


@mcr.program
def waiting(p: mcr.Declarations) -> None:
    """A thread fails in one order, waits for ever in another one, and nothing orders the accesses of x."""
    x, mutex = p.var("x", 0), p.mutex("m")

    def leave_locked() -> None:
        x.store(1)
        if x.load() == 1:
            mutex.lock()

    def add() -> None:
        with mutex:
            x.store(x.load() + 2)
        assert x.load() != 2

    p.thread(leave_locked)
    p.thread(add)
    p.final(lambda: x.load())


PROGRAMS = {"sb": reference.sb(n=2, check=False), "fib": reference.fib(n=1), "waiting": waiting}

ASKED = [
    (name, objective, "sc" if "tso" not in algorithm.models else "tso")
    for name, algorithm in ALGORITHMS.items()
    for objective in algorithm.objectives
]


@pytest.mark.parametrize(("algorithm", "objective", "model"), ASKED)
def test_it_tells_what_one_process_tells(algorithm: str, objective: str, model: str) -> None:
    for program in one_of(list(PROGRAMS), f"{algorithm} {objective}"):
        with shared_at_once():
            assert not differs(PROGRAMS[program], model, algorithm, objective, 2, keep_going=True), program
