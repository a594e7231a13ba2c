"""Check racy concurrent programs, modelled in Python, under SC, TSO and PSO.

    import mcr

    @mcr.program
    def store_buffering(p):
        x, y = p.var("x", 0), p.var("y", 0)
        ...

    result = mcr.check(store_buffering, model="tso")
    result.verdict              # mcr.Verdict.VERIFIED, BUG or INCOMPLETE
    result.failures[0]          # the failing trace, if there is one

From a shell: `mcr check FILE`, `mcr replay TRACE.json`, `mcr --help`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from replay.suffixes import LOADERS

if TYPE_CHECKING:
    from pathlib import Path

    from mcr.api import check, check_all, replay
    from mcr.options import Options
    from mcr.verdict import Result, Statistics, Stop, Verdict
    from replay.errors import CheckerError, ModelError, NondeterminismError, ScheduleError
    from replay.files import load_trace, save_trace
    from replay.operation import UNWRITTEN
    from replay.program import Program, program
    from replay.trace import Failure, Trace

_HOMES = {
    "mcr.api": ("check", "check_all", "replay"),
    "mcr.options": ("Options",),
    "mcr.verdict": ("Result", "Statistics", "Stop", "Verdict"),
    "replay.errors": ("CheckerError", "ModelError", "NondeterminismError", "ScheduleError"),
    "replay.files": ("load_trace", "save_trace"),
    "replay.operation": ("UNWRITTEN",),
    "replay.program": ("Program", "program"),
    "replay.trace": ("Failure", "Trace"),
}
"""Where each public name lives. It is fetched when it is first used, so that a command or a model imports
what it needs and nothing else (PEP 562)."""


def _programs_in_litmus(path: Path) -> list[Program]:
    from mcr.litmus.program import programs_of

    return programs_of(path)


LOADERS[".litmus"] = _programs_in_litmus

__all__ = [
    "UNWRITTEN",
    "CheckerError",
    "Failure",
    "ModelError",
    "NondeterminismError",
    "Options",
    "Program",
    "Result",
    "ScheduleError",
    "Statistics",
    "Stop",
    "Trace",
    "Verdict",
    "check",
    "check_all",
    "load_trace",
    "program",
    "replay",
    "save_trace",
]


if not TYPE_CHECKING:

    def __getattr__(name):
        home = next((module for module, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module 'mcr' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(home), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
