"""The report on several versions of what a program imports: one table, then what failed, and why it fails no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from mcr.exploration.verdict import Verdict
from mcr.report.layout import VERDICT_ROLES, Column, Style, TextCell, TextTable, wrap
from replay.traces.trace import FREE_THREADED, GIL

VERSIONS_SCHEMA = "mcr-versions/1"

_KINDS = {FREE_THREADED: "free-threaded", GIL: "with the global lock"}
_WRONG_USE = 2


@dataclass(frozen=True)
class Checked:
    """The check of one version on one kind of Python.

    folder    as it was named
    document  of `mcr check --json`; empty where nothing could be checked
    """

    folder: Path
    python: str
    document: dict[str, Any]

    @property
    def status(self) -> int:
        """The exit status of the check."""
        return int(self.document.get("status", _WRONG_USE))

    @property
    def results(self) -> Sequence[dict[str, Any]]:
        """The results of the check, one for each program and model (docs/formats.md)."""
        return list(self.document.get("results", ()))

    @property
    def failures(self) -> Sequence[dict[str, Any]]:
        """The failures of the check, each with its traces (docs/formats.md)."""
        return list(self.document.get("failures", ()))

    @property
    def traces(self) -> Sequence[str]:
        """A trace of each failure."""
        return [failure["traces"][0] for failure in self.failures if failure["traces"]]


@dataclass(frozen=True)
class Played:
    """A trace that was found on one version and played on another.

    before  where it was found
    folder  of the other version
    status  0 where it fails no more, 1 where it does, 2 where it could not be played
    said    what came of it: a sentence, or the step that does not fit
    """

    before: Checked
    trace: str
    folder: Path
    status: int
    said: str


def render_versions(checked: Sequence[Checked], played: Sequence[Played], width: int, style: Style) -> Iterator[str]:
    """Yields a row for each version, program and memory model; below it what fails, and whether later versions stop
    that."""
    kinds = [kind for kind in _KINDS if any(each.python == kind for each in checked)]
    columns = [Column("version", 20), Column("program", 12), Column("model", 5)]
    columns += [Column(_KINDS[kind], 10) for kind in kinds]
    yield from TextTable(columns, list(_rows(checked, kinds))).render(width, style)
    for each in checked:
        for failure in each.failures:
            yield ""
            yield from _failure(each, failure, [one for one in played if one.before is each], width, style)
        for error in each.document.get("errors", ()):
            where = f"{error['where']}: " if error["where"] else ""
            yield ""
            yield from wrap(f"{each.folder}, {_KINDS[each.python]}: {where}{error['message']}", width)
        for result in each.results:
            if result["stop"]:
                yield ""
                stop = f"{_named(result)} under {result['model'].upper()} is incomplete: {_stop(result['stop'])}"
                yield from wrap(f"{each.folder}, {_KINDS[each.python]}: {stop}", width)


def _stop(stop: dict[str, str]) -> str:
    return ". ".join(part for part in stop.values() if part)


def _rows(checked: Sequence[Checked], kinds: Sequence[str]) -> Iterator[list[TextCell]]:
    for folder in dict.fromkeys(each.folder for each in checked):
        of_version = {each.python: each for each in checked if each.folder == folder}
        found = {(_named(result), result["model"]): None for each in of_version.values() for result in each.results}
        for title, model in found or {("", ""): None}:
            cells = [_verdict(of_version.get(kind), title, model) for kind in kinds]
            yield [TextCell(str(folder)), TextCell(title), TextCell(model.upper()), *cells]


def _verdict(checked: Checked | None, title: str, model: str) -> TextCell:
    if checked is None:
        return TextCell("")
    for result in checked.results:
        if (_named(result), result["model"]) == (title, model):
            verdict = Verdict(result["verdict"])
            return TextCell(verdict.value, VERDICT_ROLES[verdict])
    return TextCell("error", "bug")


def _named(result: dict[str, Any]) -> str:
    """A program as tables name it: with the values of its parameters."""
    program = result["program"]
    values = ", ".join(f"{name}={value}" for name, value in program["arguments"].items())
    return f"{program['name']}({values})" if values else str(program["name"])


def _failure(
    checked: Checked, failure: dict[str, Any], played: Sequence[Played], width: int, style: Style
) -> Iterator[str]:
    said = f"{failure['error']}: {failure['message']}" if failure["message"] else failure["error"]
    stack = failure["stack"]
    where = f" ({stack[0]['file']}:{stack[0]['line']})" if stack else ""
    heading = f"{checked.folder}, {_KINDS[checked.python]}: {_named(failure)} fails: {said}{where}"
    yield from (style.paint(line, "strong") for line in wrap(heading, width))
    for file in failure["traces"][:1]:
        yield style.paint(f"    mcr replay {quote(file)} --path {quote(str(checked.folder))}", "faint")
        for one in played:
            if one.trace == file:
                yield from (f"  {line}" for line in wrap(f"The same schedule on {one.folder}: {one.said}", width - 2))


def versions_document(checked: Sequence[Checked], played: Sequence[Played], status: int) -> dict[str, Any]:
    """Returns the report as a JSON document: what each check says, as `mcr check --json` does, and each replay."""
    return {
        "schema": VERSIONS_SCHEMA,
        "status": status,
        "versions": [
            {"path": str(each.folder), "python": each.python, "status": each.status, "check": each.document}
            for each in checked
        ],
        "played": [
            {
                "trace": each.trace,
                "found_on": str(each.before.folder),
                "python": each.before.python,
                "played_on": str(each.folder),
                "status": each.status,
                "said": each.said,
            }
            for each in played
        ],
    }
