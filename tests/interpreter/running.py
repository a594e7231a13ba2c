"""Runs a program by CPython and by the interpreter, within limits, and compares."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from replay.interpreter.exceptions import HostStop
from replay.interpreter.execution import Execution
from replay.interpreter.lookup import forget_lookups
from replay.interpreter.natives import natively
from tests.interpreter.compare import Difference, difference
from tests.interpreter.outcome import Late, Line, Outcome, by_python, outcome
from tests.interpreter.program import NAME, compiled
from tests.interpreter.showing import shown

DEEP = 3_000
"""A recursion limit which no program reaches: each call of its functions is logged, and the log has an end."""

COLLECTED = 50
"""Programs after which garbage is collected: never while one runs, which may tell."""

SECONDS = (3.0, 30.0)
"""Limits for a program, run by CPython and by the interpreter."""

Runner = Callable[[CodeType], Outcome]


natively(shown)


def by_interpreter(program: CodeType) -> Outcome:
    execution = Execution()

    def lines(error: BaseException) -> list[Line]:
        return [(name.rpartition(".")[2], line) for file, name, line in execution.passed(error) if file == NAME]

    try:
        return outcome(program, execution.call, lines)
    finally:
        forget_lookups()


class Judge:
    """Compares programs, and counts them."""

    def __init__(self, other: Runner = by_interpreter) -> None:
        self.other = other
        self.programs = self.skipped = self.unstable = self.raised = self.caught = self.entries = 0

    def difference(self, source: str) -> Difference | None:
        program = compiled(source)
        self.programs += 1
        if self.programs % COLLECTED == 0:
            gc.collect()
        expected = _within(SECONDS[0], by_python, program)
        if isinstance(expected, Late):
            self.skipped += 1
            return None
        if isinstance(expected, BaseException):
            raise expected
        self.raised += expected.raised is not None
        self.caught += len(expected.caught)
        self.entries += len(expected.log)
        found = _within(SECONDS[1], self.other, program)
        if isinstance(found, BaseException):
            return Difference(type(found).__name__, "", f"{found}")
        wrong = difference(expected, found)
        if wrong is not None and self._is_unstable(program, expected):
            self.unstable += 1
            return None
        return wrong

    def _is_unstable(self, program: CodeType, expected: Outcome) -> bool:
        """Returns True for a program that CPython itself runs otherwise if objects have other addresses."""
        moved = [tuple([each] * (each % 60)) for each in range(30_000)]  # of all sizes, so that no hole is left
        again = _within(SECONDS[0], by_python, program)
        del moved
        return isinstance(again, Late) or (isinstance(again, Outcome) and difference(expected, again) is not None)

    def __str__(self) -> str:
        return (
            f"{self.programs} programs ({self.raised} raised, {self.caught} exceptions caught, {self.entries} log "
            f"entries, {self.skipped} skipped since they take too long, {self.unstable} since they depend on addresses)"
        )


@contextmanager
def prepared() -> Iterator[None]:
    """Sets up what the limits need."""
    limit, handler = sys.getrecursionlimit(), signal.signal(signal.SIGALRM, _late)
    sys.setrecursionlimit(DEEP)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        sys.setrecursionlimit(limit)
        signal.signal(signal.SIGALRM, handler)


def _within(seconds: float, run: Runner, program: CodeType) -> Outcome | BaseException:
    """The outcome, or the failure of the interpreter itself; asked again and again to end, since programs catch it.

    A program that caught it and then came to its end was late all the same.
    """
    ends = time.monotonic() + seconds
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        found = run(program)
        return found if time.monotonic() < ends else Late()
    except (Exception, HostStop) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: Any) -> None:
    raise Late
