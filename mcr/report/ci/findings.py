"""Findings of a check, as a list: failures, checks that are incomplete, and what could not be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from mcr.exploration.verdict import Result, Verdict
from mcr.report.failure import FailureReport
from mcr.report.printable import on_one_line
from mcr.report.source import headline, message_of, replay_command, shown_path
from replay.frontend.program import Program
from replay.sentences import counted, listed

INCOMPLETE, BROKEN = "Incomplete", "BrokenModel"
"""Rules of findings that are no failures."""


@dataclass(frozen=True)
class Finding:
    """Something that a check cannot pass over.

    rule     the type of the exception or kind of failure; INCOMPLETE; BROKEN
    file     relative to the current folder where it is below that
    line     from 1 on
    subject  the program and its models, "" where there is none
    message  one line
    report   the failure, None for others
    """

    rule: str
    file: str
    line: int
    subject: str
    message: str
    report: FailureReport | None = None

    @property
    def is_error(self) -> bool:
        return self.rule != INCOMPLETE

    @property
    def sentence(self) -> str:
        """Subject and message."""
        return f"{self.subject}: {self.message}" if self.subject else self.message

    @property
    def replay(self) -> str:
        """The command that plays the failure, "" for none."""
        return replay_command(self.report.files[0]) if self.report and self.report.files else ""


class Findings:
    """Receives what a check finds (`mcr.cli.checking.Output`); the formats say what is written when."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._counts: Counter[str] = Counter()
        self.findings: list[Finding] = []

    def begin(self, programs: Sequence[Program]) -> None:
        pass

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        self._counts[result.verdict.value] += 1
        if result.verdict is Verdict.INCOMPLETE:
            subject = f"{on_one_line(program.title)} under {result.model.upper()}"
            self._add(
                Finding(INCOMPLETE, shown_path(program.file), program.line, subject, f"incomplete: {result.stop}")
            )

    def failure(self, program: Program, report: FailureReport) -> None:
        failure = report.trace.failure
        assert failure is not None
        possible = [name.upper() for name, answer in report.models.items() if answer.possible]
        models = listed(possible or [report.trace.model.upper()])
        file, line = (failure.line.file, failure.line.line) if failure.line else (program.file, program.line)
        subject = f"{on_one_line(program.title)} fails under {models}"
        self._add(Finding(failure.error, shown_path(file), line, subject, on_one_line(headline(failure)), report))

    def error(self, error: Exception) -> None:
        self._counts["error"] += 1
        where = shown_path(getattr(error, "where", ""))
        file, _, line = where.rpartition(":")
        file, number = (file, int(line)) if line.isdecimal() else (where, 1)
        self._add(Finding(BROKEN, file, number, "", on_one_line(getattr(error, "message", "") or message_of(error))))

    def end(self, status: int, missing: int) -> None:
        """Everything was received; `missing` checks were not begun."""

    def _add(self, finding: Finding) -> None:
        self.findings.append(finding)

    @property
    def summary(self) -> str:
        kinds = [("error", "errors"), ("bug", "bugs"), ("incomplete", "incomplete"), ("verified", "verified")]
        parts = [f"{self._counts[one]} {one if self._counts[one] == 1 else more}" for one, more in kinds]
        told = [part for part, (one, _) in zip(parts, kinds, strict=True) if self._counts[one]]
        return f"{counted(sum(self._counts.values()), 'check')}: {', '.join(told)}."

    def _print(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class ShortOutput(Findings):
    """A line for each finding, as pytest's `--tb=line` has them, and a summary."""

    def _add(self, finding: Finding) -> None:
        replay = f" ({finding.replay})" if finding.replay else ""
        where = f"{finding.file}:{finding.line}: " if finding.file else ""
        self._print(f"{where}{finding.sentence}{replay}")

    def end(self, status: int, missing: int) -> None:
        not_made = f" Interrupted: {counted(missing, 'check')} not made." if missing else ""
        self._print(self.summary + not_made)


class GithubOutput(ShortOutput):
    """Workflow commands, which GitHub Actions shows at the lines of a pull request."""

    def _add(self, finding: Finding) -> None:
        level = "error" if finding.is_error else "warning"
        place = {"file": finding.file, "line": str(finding.line), "title": finding.subject or "mcr check"}
        properties = ",".join(f"{name}={_property(value)}" for name, value in place.items() if value)
        replay = f"\n{finding.replay}" if finding.replay else ""
        self._print(f"::{level} {properties}::{_data(finding.message + replay)}")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
