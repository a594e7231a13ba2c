"""Writing a trace as pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mcr.report.explanation import explain
from mcr.report.failure import FailureReport, possibility_sentence
from mcr.report.graph import graph
from mcr.report.timeline import timeline
from replay.errors import CheckerError
from replay.writing import write_atomically


def write_pictures(report: FailureReport, html: Path | None, svg: Path | None) -> dict[str, str]:
    """Write the timeline and the graph as far as they are asked for; returns their files by what they show.

    Raises CheckerError for a file that cannot be written.
    """
    wanted: list[tuple[str, Path | None, Callable[[], str]]] = [
        ("timeline", html, lambda: timeline(report.trace, _sentences(report))),
        ("graph", svg, lambda: graph(report.trace)),
    ]
    for what, file, picture in wanted:
        if file is not None:
            _write(what, file, picture())
    return {what: str(file) for what, file, _ in wanted if file is not None}


def _write(what: str, file: Path, text: str) -> None:
    try:
        write_atomically(file, text)
    except OSError as error:
        raise CheckerError(f"{file}: the {what} cannot be written: {error.strerror}") from None


def _sentences(report: FailureReport) -> list[str]:
    """The sentences of the report; none if nothing fails."""
    if report.trace.failure is None:
        return []
    return [possibility_sentence(report.models), *explain(report.trace, report.needs_buffers)]
