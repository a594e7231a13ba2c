"""Looking on while a measurement is taken."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mcr.exploration.contract import Run
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result, Statistics
from replay.traces.loader import load_module


class Probe:
    """Questions of a suite beside the columns that all rows have. Its `with` block lasts for the exploration."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The exploration is over."""

    def see(self, run: Run) -> None:
        """Called with each execution."""

    def note(self, statistics: Statistics) -> None:
        """Called after each execution."""

    def details(self, session: Session, result: Result) -> dict[str, Any]:
        """Returns what was found out: entries of the column `details`."""
        return {}


def probe_named(place: str) -> Probe:
    """A new probe of the class that FILE::NAME names; one that does nothing for ""."""
    if not place:
        return Probe()
    file, _, name = place.partition("::")
    probe: Probe = getattr(load_module(Path(file)), name)()
    return probe
