"""Traces of the checker: what it executed on a program, as the replayer records it."""

from __future__ import annotations

from mcr.api import open_session
from mcr.exploration.contract import Run
from mcr.exploration.observers import trace_of
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel


class _Recording:
    """Keeps the trace of every execution."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []

    def see(self, run: Run) -> None:
        self.traces.append(trace_of(run))


def executed(program: Program, model: MemoryModel, *, limit: int | None = None) -> list[Trace]:
    """The traces of what `cover` executes of a program, or of its first executions."""
    recording = _Recording()
    options = Options(keep_going=True, shorten=False, max_executions=limit)
    open_session(program, model, algorithm="cover", options=options, observers=[recording]).explore()
    return recording.traces
