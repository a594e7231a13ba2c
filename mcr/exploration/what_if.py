"""A question about a recorded execution: could one of its loads have read another value?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class WhatIf:
    """What if the load, event `load` of a trace file, read `value`, written as the trace writes values?

    model     its name, None for that of the trace
    program   FILE::NAME, None for the one that the trace names
    announce  is told the file of the program that the trace names, before it is imported
    """

    trace: Path
    load: int
    value: str
    model: str | None = None
    program: str | None = None
    solver: str = "minisat22"
    announce: Callable[[Path], None] | None = None
