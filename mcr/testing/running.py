"""Running a case as a test of pytest: what the test has to tell beside that it passes or fails."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from mcr.exploration.growth import Size
from mcr.exploration.verdict import Verdict
from mcr.report.layout import wrap
from mcr.report.printable import printable
from mcr.report.remarks import takes_long, unreached_sentence
from mcr.testing.checking import CheckedTest, Failing, incomplete, run, summary
from mcr.testing.report import ComplaintRepr

_ENDS_IT = "--mcr-timeout"
"""The option by which a test that takes long is ended."""


def run_test(item: pytest.Item, case: CheckedTest) -> None:
    """Check a case; passes only what is verified, or fails as it should. Raises Failing for the rest."""
    findings = run(case, lambda size: _takes_long(item, size))
    item.add_report_section("call", "mcr", printable(summary(case, findings)) + "\n")
    if case.kept.problem:
        _warn(item, case.kept.problem)
    result = findings.result
    if result is None:
        return
    item.user_properties.append(("mcr_verdict", result.verdict.value))
    item.user_properties.append(("mcr_global_states", result.statistics.global_states))
    item.user_properties.append(("mcr_executions", result.statistics.executions))
    item.user_properties.append(("mcr_local_states", result.statistics.local_states))
    if result.verdict is Verdict.INCOMPLETE:
        _warn(item, incomplete(case, result).sentence)
    if result.unreached:
        sentence = f"{case.name} is verified under {result.model.upper()}, {unreached_sentence(result.unreached)}"
        _warn(item, sentence)


def _takes_long(item: pytest.Item, size: Size) -> None:
    """Say so at once; a worker of pytest-xdist has no terminal, and says it among the warnings."""
    if hasattr(item.config, "workerinput"):
        _warn(item, takes_long(item.name, size, _ENDS_IT))
        return
    plugins = item.config.pluginmanager
    terminal, capture = plugins.getplugin("terminalreporter"), plugins.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
        terminal.ensure_newline()
        width = item.config.get_terminal_writer().fullwidth
        for line in wrap(takes_long(item.name, size, _ENDS_IT), width, ""):
            terminal.write_line(printable(line))


def _warn(item: pytest.Item, sentence: str) -> None:
    item.warn(pytest.PytestWarning(printable(sentence)))


def hide_stack(raised: pytest.ExceptionInfo[BaseException]) -> None:
    """Let pytest write out no stack that `tell` replaces: it reads every module on the way, which takes long."""
    if isinstance(raised.value, Failing):
        raised.traceback = raised.traceback[-1:]


def tell(report: pytest.TestReport, failing: BaseException, config: pytest.Config) -> None:
    """Let a report of pytest show the complaint of a test that failed."""
    if isinstance(failing, Failing):
        report.longrepr = ComplaintRepr(failing.complaint, config.getoption("tbstyle"))
