"""The report on a check for machines: one JSON document (docs/formats.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from mcr import plugins
from mcr.exploration.verdict import Outlook, Result, Statistics
from mcr.report.explanation import explain
from mcr.report.failure import FailureReport
from mcr.report.printable import printable_json
from mcr.report.source import shown_path
from replay.frontend.program import Program
from replay.traces.player import reference
from replay.traces.trace import Failure, ProgramReference

CHECK_SCHEMA = "mcr-check/1"
REPLAY_SCHEMA = "mcr-replay/1"


class DocumentOutput:
    """Collects what a check finds and writes it at the end. All but "times" is the same in every run."""

    def __init__(self, stream: TextIO, more: Mapping[str, Any] | None = None) -> None:
        """`more` is told at the end."""
        self._stream = stream
        self._more = more or {}
        self._results: list[dict[str, Any]] = []
        self._failures: list[dict[str, Any]] = []
        self._errors: list[dict[str, Any]] = []

    def begin(self, programs: Sequence[Program]) -> None:
        pass

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        shown = {"program": reference(program), **_result(result), "witnesses": witnesses}
        if result.certificate_file is not None:
            shown["certificate"] = result.certificate_file or None
        self._results.append(shown)

    def failure(self, program: Program, report: FailureReport) -> None:
        trace = report.trace
        assert trace.failure is not None
        self._failures.append(
            {
                "program": reference(program),
                **failure_document(trace.failure, trace.repeats),
                "models": report.models,
                "shown_under": trace.model,
                "explanation": explain(trace, report.needs_buffers),
                "traces": report.files,
            }
        )

    def error(self, error: Exception) -> None:
        message, where = getattr(error, "message", str(error)), getattr(error, "where", "")
        self._errors.append({"message": message, "where": shown_path(where)})

    def end(self, status: int, missing: int) -> None:
        document = {
            "schema": CHECK_SCHEMA,
            "status": status,
            "results": self._results,
            "failures": self._failures,
            "errors": self._errors,
            "not_begun": missing,
            **self._more,
        }
        write_document(document, self._stream)


def write_document(document: dict[str, Any], stream: TextIO) -> None:
    """Write it; escaped, where the stream's encoding does not have every character.

    Plug-ins are named in it. Records are written by their fields, enumerations by their values, and files of programs
    as they are shown.
    """
    plain = not (stream.encoding or "utf-8").lower().startswith("utf")
    named = {"plugins": plugins.loaded()} if plugins.loaded() else {}
    text = json.dumps({**document, **named}, indent=1, ensure_ascii=plain, default=_plain)
    print(printable_json(text), file=stream, flush=True)


def _plain(value: Any) -> Any:
    """Returns a JSON value in the place of one that JSON does not have."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Failure):
        return failure_document(value)
    found = told(value, *(each.name for each in fields(value)))
    return found | {"file": shown_path(value.file)} if isinstance(value, ProgramReference) else found


def told(record: object, *names: str) -> dict[str, Any]:
    """These attributes of a record, by their names."""
    return {name: getattr(record, name) for name in names}


def failure_document(failure: Failure, repeats: int | None = None) -> dict[str, Any]:
    """`repeats` is the step of the trace with which that begins that repeats for ever."""
    return {
        **told(failure, "thread", "error", "message"),
        "stack": [{**source._asdict(), "file": shown_path(source.file)} for source in failure.stack],
        **({} if repeats is None else {"repeats": repeats}),
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        **told(result, "line", "model", "objective", "algorithm", "solver", "verdict", "complete"),
        **told(result, "unreached", "assumed", "stop", "outcomes"),
        "classes": {count.equivalence: [count.complete, count.blocked] for count in result.classes},
        "census": dict(result.census),
        "all_plain": result.all_plain,
        "figures": dict(result.figures),
        "merged": result.merged,
        "not_compared": dict(result.not_compared),
        "told_apart": [{"where": shown_path(where), "why": why} for where, why in result.told_apart],
        **_figures(result.statistics),
    }


def _figures(statistics: Statistics) -> dict[str, Any]:
    """Counts, and apart from them the times, which differ from run to run."""
    values = told(statistics, *(each.name for each in fields(statistics)))
    return {
        "statistics": {name: value for name, value in values.items() if isinstance(value, int)},
        "times": {name: round(value, 6) for name, value in values.items() if isinstance(value, float)},
        "outlook": statistics.outlook and _outlook(statistics.outlook),
    }


def _outlook(outlook: Outlook) -> dict[str, Any]:
    whole = outlook.whole and {name: round(figure) for name, figure in outlook.whole._asdict().items()}
    return {**told(outlook, "what", "by", "seen"), "whole": whole, "goals": outlook.goals}
