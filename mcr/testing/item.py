"""One program under one model as a test."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ExceptionInfo, TerminalRepr

from mcr.configuration import Said
from mcr.exploration.size import Size
from mcr.exploration.verdict import Verdict
from mcr.report.printable import printable
from mcr.report.table import wrap
from mcr.report.takes_long import takes_long
from mcr.report.unreached import unreached_sentence
from mcr.testing.checking import Failing, Findings, Task, incomplete, run, summary
from mcr.testing.decorators import marks_of
from mcr.testing.kept import Kept
from mcr.testing.report import ComplaintRepr
from mcr.testing.settings import jobs
from replay.frontend.program import Program

_ENDS_IT = "--mcr-timeout"
"""The option by which a test that takes long is ended."""


@dataclass(frozen=True)
class Case:
    """What a test is about, and how to check it; `known` says that it fails there (@mcr.fails)."""

    name: str
    program: Program
    model: str
    said: Said
    known: bool


class ProgramItem(pytest.Item):
    """`peterson[tso]`."""

    def __init__(self, *, case: Case, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.case = case
        self.add_marker("mcr")
        marks = marks_of(case.program)
        self.own_markers.extend(marks)
        self.keywords.update((mark.name, mark) for mark in marks)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.case.program.file, self.case.program.line - 1, self.name

    def runtest(self) -> None:
        """Check it; passes only what is verified, or fails as it should."""
        case = self.case
        task = Task(case.program, case.model, case.said, case.known, self._kept(), jobs(self.config), self._takes_long)
        self._tell(task, run(task))

    def _kept(self) -> Kept:
        folder = self.case.said["folder"]
        return Kept(folder, self.config.rootpath, Path(self.path), f"{self.case.name}-{self.case.model}")

    def _tell(self, task: Task, findings: Findings) -> None:
        """What a test that passed says to whoever wants to know: -rA, junit files, warnings."""
        self.add_report_section("call", "mcr", printable(summary(task, findings)) + "\n")
        if task.kept.problem:
            self._warn(task.kept.problem)
        result = findings.result
        if result is None:
            return
        self.user_properties.append(("mcr_verdict", result.verdict.value))
        self.user_properties.append(("mcr_executions", result.statistics.executions))
        self.user_properties.append(("mcr_local_states", result.statistics.local_states))
        if result.verdict is Verdict.INCOMPLETE:
            self._warn(incomplete(task, result).sentence)
        if result.unreached:
            sentence = (
                f"{self.case.name} is verified under {result.model.upper()}, {unreached_sentence(result.unreached)}"
            )
            self._warn(sentence)

    def _takes_long(self, size: Size) -> None:
        """Say so at once; a worker of pytest-xdist has no terminal, and says it among the warnings."""
        if hasattr(self.config, "workerinput"):
            self._warn(takes_long(self.name, size, _ENDS_IT))
            return
        plugins = self.config.pluginmanager
        terminal, capture = plugins.getplugin("terminalreporter"), plugins.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
            terminal.ensure_newline()
            width = self.config.get_terminal_writer().fullwidth
            for line in wrap(takes_long(self.name, size, _ENDS_IT), width, ""):
                terminal.write_line(printable(line))

    def _warn(self, sentence: str) -> None:
        self.warn(pytest.PytestWarning(printable(sentence)))

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        if isinstance(excinfo.value, Failing):
            return ComplaintRepr(excinfo.value.complaint, style or self.config.getoption("tbstyle"))
        return super().repr_failure(excinfo, style)
