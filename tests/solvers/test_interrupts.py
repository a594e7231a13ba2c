"""Ctrl-C while a solver is at work: it is answered soon, and breaks nothing. Once it broke the heap."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from solvers import available_solvers, make_solver
from tests.solvers.pigeons import pigeons


class Pressed(Exception):
    """What the program that uses the solver makes of Ctrl-C."""


class Keyboard:
    """Presses Ctrl-C from another process, which does not care what this one is doing; says what that raises here."""

    def __init__(self) -> None:
        self._before = signal.getsignal(signal.SIGINT)
        self._pressing: list[subprocess.Popen[bytes]] = []

    def raises(self, exception: type[BaseException]) -> None:
        def handler(signal_number: int, frame: FrameType | None) -> None:
            raise exception

        signal.signal(signal.SIGINT, handler)

    def press(self, after: float, during: Callable[[], bool]) -> bool:
        """What a function returns at whose work Ctrl-C is pressed after some seconds."""
        command = f"sleep {after}; kill -INT {os.getpid()}"
        self._pressing.append(subprocess.Popen(["sh", "-c", command]))
        return during()

    def close(self) -> None:
        for process in self._pressing:
            process.wait()
        signal.signal(signal.SIGINT, self._before)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    keyboard = Keyboard()
    yield keyboard
    keyboard.close()


@pytest.mark.parametrize("name", available_solvers())
def test_a_solver_that_was_interrupted_goes_on(name: str, keyboard: Keyboard) -> None:
    keyboard.raises(KeyboardInterrupt)
    solver = make_solver(name)
    (wanted,) = pigeons(solver, 12)
    for seconds in (0.05, 0.1, 0.2):
        with pytest.raises(KeyboardInterrupt):
            keyboard.press(seconds, lambda: solver.propose(assuming=[wanted]))
    assert solver.propose()
    assert solver.holds(-wanted)


def test_whoever_handles_ctrl_c_is_asked(keyboard: Keyboard) -> None:
    keyboard.raises(Pressed)
    solver = make_solver("minisat22")
    question = pigeons(solver, 12)
    with pytest.raises(Pressed):
        keyboard.press(0.1, lambda: solver.propose(assuming=question))
    with pytest.raises(Pressed):
        signal.raise_signal(signal.SIGINT)


def test_who_ignores_ctrl_c_is_not_stopped(keyboard: Keyboard) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    solver = make_solver("minisat22")
    question = pigeons(solver, 8)
    assert not keyboard.press(0.05, lambda: solver.propose(assuming=question))


def test_in_another_thread_nothing_is_touched() -> None:
    """Python lets only the main thread say who handles signals."""
    found: list[bool] = []
    solver = make_solver("minisat22")
    question = pigeons(solver, 3)
    thread = threading.Thread(target=lambda: found.append(solver.propose(assuming=question)))
    thread.start()
    thread.join()
    assert found == [False]
