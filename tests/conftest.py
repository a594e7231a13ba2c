"""Fixtures for all tests, and a ceiling for those that are skipped."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.code import watchdog
from replay.local_state import layouts
from tests.desk import Desk

os.environ.setdefault("PYTEST_XDIST_WORKER", "master")
"""Commands take one process unless they are told otherwise, in a run of one process as well as beside others."""

watchdog.PATIENCE, watchdog._STILLNESS = 60.0, 720.0
"""What is said depends on no clock, however busy the machine is; tests of these limits set shorter ones."""

pytest_plugins = ("pytester",)  # for tests/testing; pytest wants it here

CEILINGS = {
    "there is no browser": 20,
    "playwright is not installed": 20,
    "could not import": 20,
    "the shared litmus tests are not there": 10,
    "scripts trace as debuggers do before CPython 3.12": 1,
}
"""How many tests may be skipped for a reason that begins like this; for any other reason none may."""


def pytest_collection_finish() -> None:
    """What was collected stays: to look at it for garbage takes a second, each time that a test asks for that."""
    gc.freeze()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Desk(tmp_path, capsys)


@pytest.fixture
def untested_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Python whose containers nobody has looked at, so that suspended threads have no keys."""
    monkeypatch.setattr(layouts, "TESTED", ())
    layouts.why_unreadable.cache_clear()
    yield
    layouts.why_unreadable.cache_clear()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that is skipped tests nothing: too many of them fail the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    reasons = [_reason(report) for report in reporter.stats.get("skipped", [])]
    counts = Counter(next((known for known in CEILINGS if reason.startswith(known)), reason) for reason in reasons)
    too_many = [f"{count} tests are skipped: {reason}" for reason, count in counts.items() if count > _ceiling(reason)]
    if too_many:
        reporter.write_line("")
        reporter.write_line("\n".join(too_many))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _ceiling(reason: str) -> int:
    return CEILINGS.get(reason, 0)


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
