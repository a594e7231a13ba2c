"""Which lines threads execute: their code runs once more along every history, with somebody looking on."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from replay.code.lines import is_user_code
from replay.code.running_thread import inside_run
from replay.machine.unfolding import Unfolding

Arc = tuple[str, int, int]
"""A file, a line, and the line of the same function that was executed next; 0 where the function was left."""


class Tracer:
    """What thread code executes while it looks on.

    arcs   how often one line followed another
    lines  how often a line was executed, by file and number
    codes  the functions
    """

    def __init__(self) -> None:
        self.arcs: Counter[Arc] = Counter()
        self.lines: Counter[tuple[str, int]] = Counter()
        self.codes: set[CodeType] = set()
        self._last: dict[FrameType, int] = {}

    @contextmanager
    def looking_on(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self.called)
        try:
            yield
        finally:
            sys.settrace(before)
            self._last.clear()

    def called(self, frame: FrameType, event: str, _: object) -> Any:
        """A function begins: look at its lines if it is thread code."""
        code = frame.f_code
        if not inside_run() or not is_user_code(code.co_filename):
            return None
        self.codes.add(code)
        return self._event

    def _event(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            self._step(frame, frame.f_lineno)
        elif event == "return":
            self._step(frame, 0)
        return self._event

    def _step(self, frame: FrameType, line: int) -> None:
        file, before = frame.f_code.co_filename, self._last.get(frame)
        if before is not None:
            self.arcs[file, before, line] += 1
        if line:
            self._last[frame] = line
            self.lines[file, line] += 1
        else:
            self._last.pop(frame, None)


def trace(unfolding: Unfolding) -> Tracer:
    """Run every history of an unfolding that does not merge; it has one for each state."""
    tracer = Tracer()
    with tracer.looking_on():
        for state in unfolding.states:
            if not state.edges:
                unfolding.check()
                unfolding.run_to(state)
    return tracer
