"""The limits of an exploration. Each ends it, with a reason and a remedy."""

from __future__ import annotations

import math
import time

from mcr.exploration.options import Options
from mcr.exploration.verdict import Stop
from mcr.sentences import counted


class Stopped(Exception):
    """The exploration has come to a limit."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.stop = Stop(reason, remedy)


class Limits:
    """Those that `options` sets, for an exploration that begins now.

    started   when it began, on the monotonic clock
    deadline  when its time is up, on the same clock; infinity if there is no limit
    """

    def __init__(self, options: Options) -> None:
        self.started = time.monotonic()
        self.deadline = math.inf if options.timeout is None else self.started + options.timeout
        self._timeout = options.timeout
        self._max_executions = options.max_executions

    def check_time(self) -> None:
        """Raises Stopped if time is up."""
        if time.monotonic() > self.deadline:
            raise self.out_of_time()

    def out_of_time(self) -> Stopped:
        """For who finds out that time is up."""
        limit = f"the time limit of {self._timeout:g} s was reached"
        return Stopped(limit, "raise --timeout, or check a smaller program")

    def check_executions(self, executions: int) -> None:
        """Raises Stopped if there may be no more than these."""
        limit = self._max_executions
        if limit is not None and executions >= limit:
            raise Stopped(f"the limit of {counted(limit, 'execution')} was reached", "raise --max-executions")
