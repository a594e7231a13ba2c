"""A table over many tests: one row for each, one column for each model."""

from __future__ import annotations

from collections.abc import Sequence

from mcr.litmus.batch import FileResult
from mcr.litmus.run import Report
from replay.sentences import counted


def table(results: Sequence[FileResult], models: Sequence[str]) -> str:
    """How often each condition holds under each model, and in how many states."""
    rows = [("test", "kind", *models)]
    for result in results:
        if result.reports:
            first = result.reports[0]
            rows.append((first.name, first.kind, *map(_cell, result.reports)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _cell(report: Report) -> str:
    incomplete = "?" if report.incomplete else ""
    return f"{'Ok' if report.ok else 'No'} {report.verdict} {len(report.states)}{incomplete}"


def summary(results: Sequence[FileResult], models: Sequence[str], seconds: float) -> str:
    """One sentence on all of it."""
    refused = sum(1 for result in results if result.refusal)
    states = sum(len(report.states) for result in results for report in result.reports)
    return (
        f"{counted(len(results), 'test')}, {refused} refused; {states} states "
        f"under {', '.join(models)}; {seconds:.1f} s"
    )
