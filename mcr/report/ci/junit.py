"""Findings as JUnit's XML, which continuous integration shows: a test case for each program and model."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mcr.exploration.verdict import Result, Verdict
from mcr.report.ci.findings import BROKEN, Finding, Findings
from mcr.report.failure import FailureReport, render_failure
from mcr.report.layout import Style
from mcr.report.printable import on_one_line, printable
from mcr.report.source import headline, shown_path
from replay.frontend.program import Program

_WIDTH = 100


class JunitOutput(Findings):
    """Writes one document at the end. What is incomplete, or broken, is an error; a bug is a failure."""

    def begin(self, programs: Sequence[Program]) -> None:
        self._suite = ElementTree.Element("testsuite", name="mcr check")
        self._cases: dict[tuple[Program, str], ElementTree.Element] = {}
        self._seconds = 0.0

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        super().result(program, result, witnesses)
        self._seconds += result.statistics.seconds
        name = f"{on_one_line(program.title)}[{result.model}]"
        case = self._case(shown_path(program.file), name, program.line, result.statistics.seconds)
        self._cases[program, result.model] = case
        if result.verdict is Verdict.INCOMPLETE:
            ElementTree.SubElement(case, "error", type="incomplete", message=printable(f"incomplete: {result.stop}"))
        for trace in result.failures:
            assert trace.failure is not None
            ElementTree.SubElement(
                case, "failure", type=trace.failure.error, message=on_one_line(headline(trace.failure))
            )

    def failure(self, program: Program, report: FailureReport) -> None:
        """The whole report stands at the first model that shows the failure."""
        super().failure(program, report)
        failure = report.trace.failure
        assert failure is not None
        case = self._cases[program, report.trace.model]
        for shown in case.findall("failure"):
            if shown.get("message") == on_one_line(headline(failure)) and not shown.text:
                shown.text = printable("\n".join(render_failure(report, _WIDTH, Style())))

    def _add(self, finding: Finding) -> None:
        super()._add(finding)
        if finding.rule == BROKEN:
            case = self._case(finding.file, finding.file or "mcr check", finding.line, 0.0)
            ElementTree.SubElement(case, "error", type="broken model", message=finding.message)

    def _case(self, file: str, name: str, line: int, seconds: float) -> ElementTree.Element:
        return ElementTree.SubElement(
            self._suite, "testcase", classname=file.removesuffix(".py").replace("/", "."), name=name, file=file,
            line=str(line), time=f"{seconds:.3f}",
        )  # fmt: skip

    def end(self, status: int, missing: int) -> None:
        kinds = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
        for name, path in kinds.items():
            self._suite.set(name, str(len(self._suite.findall(path))))
        self._suite.set("skipped", "0")
        self._suite.set("time", f"{self._seconds:.3f}")
        suites = ElementTree.Element("testsuites")
        suites.append(self._suite)
        ElementTree.indent(suites)
        self._print('<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode"))
