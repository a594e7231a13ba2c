"""The report on a replay for people."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.diagnosis.fewest import Fewest
from mcr.report.failure import FailureReport, render_failure
from mcr.report.style import Style
from mcr.report.table import wrap
from mcr.report.trace_table import render_trace


def render_replay(report: FailureReport, conclusion: str, note: str, width: int, style: Style) -> Iterator[str]:
    """What was played, and what to conclude; `note` comes first, "" for none."""
    trace = report.trace
    if note:
        yield from wrap(f"Note: {note}", width, "")
        yield ""
    if trace.failure:
        yield from render_failure(report, width, style)
    else:
        yield from render_trace(trace, width, style)
    yield ""
    for line in wrap(conclusion, width, ""):
        yield style.paint(line, "bug" if trace.failure else "good")


def render_fewest(least: Fewest) -> Iterator[str]:
    """How few context switches and reordered stores it takes."""
    for count, what in ((least.switches, "context switch"), (least.reordered, "reordered store")):
        plural = f"{what}es" if what.endswith("h") else f"{what}s"
        if count is None:
            yield f"How few {plural} it takes is too much to find out."
        else:
            yield f"It takes {count or 'no'} {what if count == 1 else plural}" + (", and no fewer." if count else ".")
