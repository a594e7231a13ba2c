"""Ctrl-C while a solver is at work: it is answered soon, and breaks nothing. Once it broke the heap."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from solvers import OrderSolver, available_solvers, make_solver
from solvers.registry import THEORY
from tests.solvers.pigeons import pigeons


class Pressed(Exception):
    """What the program that uses the solver makes of Ctrl-C."""


@pytest.fixture
def handle() -> Iterator[Callable[[type[BaseException]], None]]:
    """Say what Ctrl-C raises in this test."""
    before = signal.getsignal(signal.SIGINT)

    def handle(exception: type[BaseException]) -> None:
        def handler(signal_number: int, frame: FrameType | None) -> None:
            raise exception

        signal.signal(signal.SIGINT, handler)

    yield handle
    signal.signal(signal.SIGINT, before)


def press_after(seconds: float) -> None:
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("name", available_solvers())
def test_a_solver_that_was_interrupted_goes_on(name: str, handle: Callable[[type[BaseException]], None]) -> None:
    handle(KeyboardInterrupt)
    solver = make_solver(name)
    (wanted,) = pigeons(solver, 12, _order) if name == THEORY else pigeons(solver, 12)
    for seconds in (0.05, 0.1, 0.2):
        press_after(seconds)
        with pytest.raises(KeyboardInterrupt):
            solver.propose(assuming=[wanted])
    assert solver.propose()
    assert solver.holds(-wanted)


def _order(solver: OrderSolver) -> int:
    """A statement that makes the theory call back into Python."""
    return solver.order(solver.event(), solver.event())


def test_whoever_handles_ctrl_c_is_asked(handle: Callable[[type[BaseException]], None]) -> None:
    handle(Pressed)
    solver = make_solver("minisat22")
    press_after(0.1)
    with pytest.raises(Pressed):
        solver.propose(assuming=pigeons(solver, 12))
    with pytest.raises(Pressed):
        signal.raise_signal(signal.SIGINT)


def test_who_ignores_ctrl_c_is_not_stopped() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        solver = make_solver("minisat22")
        press_after(0.02)
        assert not solver.propose(assuming=pigeons(solver, 8))
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_touched() -> None:
    """Python lets only the main thread say who handles signals."""
    found: list[bool] = []
    solver = make_solver("minisat22")
    question = pigeons(solver, 3)
    thread = threading.Thread(target=lambda: found.append(solver.propose(assuming=question)))
    thread.start()
    thread.join()
    assert found == [False]
