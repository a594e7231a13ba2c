"""The limits of an exploration. Each ends it, with a reason and a remedy.

Whatever may take long calls `Limits.check` between two of its steps: growing
the unfolding, telling and asking a solver, visiting graphs, making a schedule
short. What lies below the explorers reaches it as `Unfolding.check`.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable

from mcr.exploration import memory
from mcr.exploration.options import Options
from mcr.exploration.verdict import Stop
from replay.sentences import counted

_EVERY = 0.05
"""Seconds between two looks at memory: asking the system takes some microseconds, the clock some nanoseconds."""


class Stopped(Exception):
    """The exploration has come to a limit."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)
        self.stop = Stop(reason, remedy)


class Limits:
    """The limits that `options` sets, for an exploration that begins now.

    started  when it began, on the monotonic clock
    """

    def __init__(self, options: Options) -> None:
        self.started = time.monotonic()
        self._timeout = math.inf if options.timeout is None else options.timeout
        self._deadline = self.started + self._timeout - options.spent
        self._max_executions = options.max_executions
        self._executions = 0
        self._memory = options.memory or _share()
        self._late: Callable[[], None] | None = None
        self._late_at = math.inf
        self._owner = _here()
        self._next_look = self.started
        if (memory.resident() or 0) > self._memory / 2:
            memory.let_go()

    def check(self) -> None:
        """Raises Stopped if time is up, or too much memory taken. It may be called very often, and by any thread."""
        now = time.monotonic()
        if now >= self._next_look:
            self._look(now)
            self._next_look = min(now + _EVERY, self._deadline)

    def call_after(self, seconds: float, late: Callable[[], None]) -> None:
        """Call `late` once when this time is over, between two steps of the thread that explores."""
        self._late, self._late_at = late, self.started + seconds

    def _look(self, now: float) -> None:
        if now >= self._late_at and self._owner == _here():
            assert self._late is not None
            self._late_at = math.inf
            self._late()
        if now >= self._deadline:
            limit = f"the time limit of {self._timeout:g} s was reached"
            raise Stopped(limit, "raise --timeout, or check a smaller program")
        if (memory.resident() or 0) > self._memory:
            raise self._out_of_memory()

    def check_room(self, more: int) -> None:
        """Raises Stopped if the process may not take so many bytes more."""
        if more and (memory.resident() or 0) + more > self._memory:
            raise self._out_of_memory()

    def _out_of_memory(self) -> Stopped:
        limit = f"the memory limit of {memory.shown_size(int(self._memory))} was reached"
        return Stopped(limit, "raise --memory, or check a smaller program")

    def used(self) -> float:
        """Returns how much of the time, or of the memory, is used: 1 where a limit is reached."""
        time_used = 1 - (self._deadline - time.monotonic()) / self._timeout if self._timeout < math.inf else 0.0
        return max(time_used, (memory.resident() or 0) / self._memory)

    def begin_again(self, executions: int) -> None:
        """Count the executions that were run before the exploration had to begin again."""
        self._executions += executions

    def check_executions(self, executions: int) -> None:
        """Raises Stopped if there may be no more than these."""
        limit = self._max_executions
        if limit is not None and self._executions + executions >= limit:
            raise Stopped(f"the limit of {counted(limit, 'execution')} was reached", "raise --max-executions")


def _here() -> tuple[int, int]:
    """Which process and thread this is: processes that are made in the middle of an exploration have its limits."""
    return os.getpid(), threading.get_ident()


def _share() -> float:
    """The bytes that an exploration may take if no limit is given."""
    whole = memory.available()
    return math.inf if whole is None else whole * memory.SHARE
