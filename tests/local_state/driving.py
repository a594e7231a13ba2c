"""Threads that are led to a local state by the values that they read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from replay.code.terminals import Request
from replay.code.thread_run import ThreadRun
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.local_state.keys import LocalStateKeys
from replay.world.operation import Operation

Body = Callable[[Declarations], Callable[[], object]]
"""Declares what it needs, and returns what the thread runs."""


class Driver:
    """Runs one thread of a program along histories, each time in a new instance, and takes keys."""

    def __init__(self, body: Body) -> None:
        def declare(p: Declarations) -> None:
            p.thread(body(p))

        self._program = Program(declare)
        self.keys = LocalStateKeys(self._program.instance())

    def after(self, reads: Sequence[object]) -> ThreadRun:
        """The thread after it was given these results."""
        run = ThreadRun("0", self._program.instance().threads[0])
        run.start()
        for value in reads:
            assert isinstance(run.pending, Operation), "the thread came to its end too early"
            run.resume(value)
        return run

    def key(self, reads: Sequence[object]) -> Hashable | None:
        return self.keys.key_of(self.after(reads))

    def future(self, reads: Sequence[object], results: Sequence[object]) -> list[str]:
        """What the thread asks for and how it ends, from there on, if it is given these results."""
        run = self.after(reads)
        seen = [shown(run.pending)]
        for value in results:
            if not isinstance(run.pending, Operation):
                break
            run.resume(value)
            seen.append(shown(run.pending))
        return seen


def shown(request: Request) -> str:
    if not isinstance(request, Operation):
        return repr(request)
    parts: tuple[Any, ...] = (request.location, request.value, request.choices, request.target, request.label)
    return f"{request.describe()} {parts!r}"
