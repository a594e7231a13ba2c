"""Why a test fails: what its report says, in a form that travels from pytest-xdist's workers to the one who prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from mcr.diagnosis.possibility import Possibility
from mcr.report.failure import FailureReport, render_cause, render_commands, render_failure
from mcr.report.source import headline
from mcr.report.style import Style
from mcr.report.table import wrap
from replay.traces.files import from_json, to_json


@dataclass(frozen=True)
class Complaint:
    """A sentence for summaries, the line that it is about, and what else there is to say.

    file, line  where; "" and 0 for nowhere
    advice      what to do about it, or what one has to know
    failure     a failing execution, if there is one
    """

    sentence: str
    file: str = ""
    line: int = 0
    advice: str = ""
    failure: FailureReport | None = None

    def render(self, width: int, style: Style, *, table: bool) -> Iterator[str]:
        """The lines of the report; without the interleaving if no `table` is wanted."""
        if self.failure is None:
            place = f"{self.file}:{self.line}: " if self.file else ""
            for line in wrap(place + self.sentence, width):
                yield style.paint(line, "bug")
            yield from wrap(self.advice, width, "") if self.advice else ()
            return
        if self.advice:
            yield from (style.paint(line, "warning") for line in wrap(self.advice, width, ""))
            yield ""
        if table:
            yield from render_failure(self.failure, width, style)
            return
        yield from render_cause(self.failure, width, style)
        if self.failure.files:
            yield ""
            yield from render_commands(self.failure)


def of_failure(report: FailureReport, advice: str = "") -> Complaint:
    """A bug was found."""
    failure = report.trace.failure
    assert failure is not None
    line = failure.line
    return Complaint(headline(failure), line.file if line else "", line.line if line else 0, advice, report)


def to_data(complaint: Complaint) -> dict[str, Any]:
    """The complaint in numbers, texts, lists and dictionaries."""
    report = complaint.failure
    data = {name: getattr(complaint, name) for name in ("sentence", "file", "line", "advice")}
    data["failure"] = report and {
        "trace": to_json(report.trace),
        "models": {name: asdict(answer) for name, answer in report.models.items()},
        "files": list(report.files),
    }
    return data


def from_data(data: dict[str, Any]) -> Complaint:
    """What `to_data` gave away."""
    report = data["failure"]
    if report is None:
        return Complaint(**data)
    models = {name: Possibility(**answer) for name, answer in report["models"].items()}
    failure = FailureReport(from_json(report["trace"]), models, report["files"])
    return Complaint(**{**data, "failure": failure})
