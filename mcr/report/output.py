"""What a check tells its audience, whoever that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mcr.exploration.verdict import Result
from mcr.report.failure import FailureReport
from replay.frontend.program import Program


class Output(Protocol):
    """Receives what a check finds, in the order in which it finds it."""

    def begin(self, programs: Sequence[Program]) -> None:
        """These programs are going to be checked."""

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        """One program was explored under one model; `witnesses` are files that show its first outcomes."""

    def failure(self, program: Program, report: FailureReport) -> None:
        """A failure, after the program was explored under all models."""

    def error(self, error: Exception) -> None:
        """Something cannot be checked."""

    def end(self, status: int, missing: int) -> None:
        """All is said. `missing` explorations were not even begun when the user interrupted."""
