"""Traces of the checker: what it executed on a program, as the replayer records it."""

from __future__ import annotations

from mcr.api import open_session
from mcr.exploration.observers import trace_of
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel


def executed(program: Program, model: MemoryModel, *, limit: int | None = None) -> list[Trace]:
    """The traces of what `cover` executes of a program, or of its first executions."""
    traces: list[Trace] = []
    options = Options(keep_going=True, shorten=False, max_executions=limit)
    keep = [lambda run: traces.append(trace_of(run))]
    open_session(program, model, algorithm="cover", options=options, observers=keep).explore()
    return traces
