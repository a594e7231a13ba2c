"""Traces of the engine: what it executed on a program, as the replayer records it."""

from __future__ import annotations

from mcr.exploration.engine import Engine, Options
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.traces.player import record
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel


class _Recording(Engine):
    """An engine that keeps the trace of every execution."""

    traces: list[Trace]

    def _observe(self, machine: Machine, choices: list[Choice]) -> None:
        super()._observe(machine, choices)
        self.traces.append(record(self.unfolding, self.model, choices))


def executed(program: Program, model: MemoryModel, *, limit: int | None = None) -> list[Trace]:
    """The traces of an exploration that covers the program, or of its first executions."""
    engine = _Recording(program, model, Options(keep_going=True, max_executions=limit))
    engine.traces = []
    engine.explore()
    return engine.traces
