"""Reports on litmus tests, and their comparison with known answers.

As herd7 prints them, so that scripts made for herd go on working; as a table; and as lines of JSON, which are the
format of known answers as well: a line needs "name" or "file", "model" and "states"; "verdict" and "herd_ok" are
compared if they are there. Counts are not, as herd counts executions where we count states: of its two figures only
zero and non-zero can be compared. And there is no hash.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict

from mcr.litmus.run import FileResult, Report
from replay.errors import FormatError
from replay.files import checked, parsed, read_text
from replay.sentences import counted


def herd_text(report: Report, *, name_model: bool = False) -> str:
    """The lines for one test, a blank one last. With `name_model`, "Model tso" stands above them."""
    name = report.name
    positive, negative = report.positive, report.negative
    lines = [f"Model {report.model}"] if name_model else []
    lines += [f"Test {name} {report.kind}", f"States {len(report.states)}"]
    lines += [f"{state};" if state else "" for state in report.states]
    lines += [f"{'Incomplete ' if report.incomplete else ''}{'Ok' if report.ok else 'No'}", "Witnesses"]
    if report.kind == "Forbidden":  # herd: witnesses are what the claim is about, here their absence
        lines.append(f"Positive: {negative} Negative: {positive}")
    else:
        lines.append(f"Positive: {positive} Negative: {negative}")
    lines.append(f"Condition {report.condition}")
    lines.append(f"Observation {name} {report.verdict} {positive} {negative}")
    lines.append(f"Time {name} {report.seconds:.2f}")
    return "\n".join([*lines, "", ""])


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


Row = dict[str, Any]


class _Compared(TypedDict, total=False):
    name: str
    file: str
    verdict: str
    herd_ok: str


class _Known(_Compared):
    """The fields of a line that are compared; others are ignored."""

    model: str
    states: list[str]


class Expectations:
    """Known answers, and how many of them were asked for."""

    def __init__(self, path: Path) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        self._used: set[int] = set()
        self.count = 0
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.strip():
                self._add(_row(line, path, number), path.parent)

    def _add(self, row: Row, folder: Path) -> None:
        self.count += 1
        if "file" in row:
            self._rows[os.path.realpath(folder / row["file"]), row["model"]] = row
        if "name" in row:
            self._rows[row["name"], row["model"]] = row

    @property
    def used(self) -> int:
        """How many answers some report was compared with."""
        return len(self._used)

    def differences(self, result: FileResult) -> Iterator[str]:
        """A sentence for each way in which the results for a file are not as expected."""
        if result.refusal:
            yield f"refused: {result.refusal}"
        for report in result.reports:
            row = self._rows.get((os.path.realpath(result.file), report.model))
            row = row or self._rows.get((report.name, report.model))
            if row is None:
                yield f"{report.name} {report.model}: there is no known answer"
                continue
            self._used.add(id(row))
            yield from (f"{report.name} {report.model}: {text}" for text in _compare(report, row))


def _row(line: str, path: Path, number: int) -> Row:
    row: Row = parsed(line, path, number)
    try:
        checked(row, _Known)
    except FormatError as error:
        raise FormatError(f"{path}:{number}: {error}") from None
    if "\0" in row.get("file", ""):
        raise FormatError(f"{path}:{number}: file: no file has a NUL in its name")
    if "name" not in row and "file" not in row:
        raise FormatError(f'{path}:{number}: a line needs "name" or "file", "model" and "states"')
    return row


def _compare(report: Report, row: Row) -> Iterator[str]:
    if report.incomplete:
        yield f"incomplete: {report.incomplete}"
    expected = {state.strip().rstrip(";") for state in row["states"]}
    for state in sorted(expected - set(report.states)):
        yield f"missing state {state}"
    for state in sorted(set(report.states) - expected):
        yield f"state {state} is not expected"
    if row.get("verdict", report.verdict) != report.verdict:
        yield f"{report.verdict}, expected {row['verdict']}"
    found = as_row(report)["herd_ok"]
    if row.get("herd_ok", found) != found:
        yield f"{found}, expected {row['herd_ok']}"


def as_row(report: Report) -> Row:
    """A report as a line of JSON, in the same format."""
    return {
        "name": report.name,
        "file": report.file,
        "threads": report.threads,
        "model": report.model,
        "states": list(report.states),
        "condition": report.condition,
        "verdict": report.verdict,
        "positive": report.positive,
        "negative": report.negative,
        "kind": report.kind,
        "herd_ok": "Ok" if report.ok else "No",
        "executions": report.statistics.executions,
        "seconds": round(report.seconds, 6),
        **({"incomplete": report.incomplete} if report.incomplete else {}),
    }
