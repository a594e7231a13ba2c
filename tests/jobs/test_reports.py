"""With --jobs the report is that of one process, byte for byte; only times differ."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from mcr.bench.suite import SuiteSelection
from mcr.cli.checking import Checking
from mcr.cli.request import Request
from mcr.exploration.growth import GrowthSamples
from mcr.report.document import DocumentOutput
from replay.world.memory_models import MODELS
from results.bench.suites import suite_named
from tests.desk import ROOT, Answer, Desk
from tests.jobs.models import BROKEN, TALKATIVE, TWO_BUGS

PETERSON = "peterson.py::peterson"


_TIMES = (
    (re.compile(r'"times": \{.*?\}', re.DOTALL), ""),
    (re.compile(r" +\d+\.\d+ s$", re.MULTILINE), ""),
    (re.compile(r"; \d+\.\d s\b"), ""),
    (re.compile(r"Time (\S+) [\d.]+"), r"Time \1"),
)


def _without_times(text: str) -> str:
    for pattern, other in _TIMES:
        text = pattern.sub(other, text)
    return text


def _timeless(answer: Answer) -> tuple[int, str, str]:
    return answer.status, _without_times(answer.out), _without_times(answer.err)


def _saved(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted((folder / ".mcr").glob("*"))}


def _same(desk: Desk, *arguments: str) -> Answer:
    """What a command says with one job; it says and saves the same with more."""
    alone = desk.mcr(*arguments, "--jobs", "1")
    saved = _saved(desk.folder)
    for name in saved:
        (desk.folder / ".mcr" / name).unlink()
    together = desk.mcr(*arguments, "--jobs", "3")
    assert _timeless(together) == _timeless(alone)
    assert _saved(desk.folder) == saved
    return alone


@pytest.mark.parametrize("arguments", [("--keep-going",), ("--json", "--objective", "outcomes")])
def test_check(desk: Desk, arguments: tuple[str, ...]) -> None:
    desk.copy("peterson.py")
    desk.write("broken.py", BROKEN)
    desk.write("talkative.py", TALKATIVE)
    desk.write("two_bugs.py", TWO_BUGS)
    answer = _same(desk, "check", PETERSON, "broken.py", "talkative.py", "two_bugs.py", *arguments)
    assert answer.status == 2
    assert "broken.py:" in answer.err + answer.out
    assert "talking" in answer.err + answer.out


def test_what_takes_no_longer_than_a_moment(desk: Desk) -> None:
    desk.write("talkative.py", TALKATIVE)
    desk.write("two_bugs.py", TWO_BUGS)
    _same(desk, "check", "talkative.py", "two_bugs.py")


def test_what_cannot_be_saved(desk: Desk) -> None:
    desk.write("two_bugs.py", TWO_BUGS)
    desk.write(".mcr", "no folder")
    answers = [desk.mcr("check", "two_bugs.py", "--jobs", jobs) for jobs in "12"]
    assert len({_timeless(answer) for answer in answers}) == 1
    assert "cannot be written" in answers[0].err


def test_compare(desk: Desk) -> None:
    desk.copy("litmus.py")
    _same(desk, "compare", "litmus.py::store_buffering", "litmus.py::iriw")


@pytest.mark.parametrize("layout", [(), ("--table",)])
def test_litmus(desk: Desk, layout: tuple[str, ...]) -> None:
    for file in sorted((ROOT / "tests/litmus/generated").glob("*.litmus"))[:5]:
        desk.write(file.name, file.read_text())
    desk.write("0.litmus", "no test")
    assert _same(desk, "litmus", ".", *layout).status == 2


def test_how_it_grew(desk: Desk) -> None:
    """Samples of what happened elsewhere are told here, for --plot."""
    desk.copy("peterson.py")
    growths: list[GrowthSamples] = []
    Checking(Request([PETERSON], jobs=2), DocumentOutput(io.StringIO()), growths).run()
    assert [growth.result and growth.result.model for growth in growths] == [*MODELS]
    assert all(growth.samples for growth in growths)


def test_where_processes_cannot_be_doubled(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.jobs.executor.CAN_FORK", False)
    desk.copy("litmus.py")
    assert desk.mcr("check", "litmus.py::iriw", "--model", "sc").status == 0
    answer = desk.mcr("check", "litmus.py", "--jobs", "2")
    assert answer.status == 2
    assert answer.err.startswith("error: --jobs 2: this system does not let a process be doubled safely")


def test_rows_that_count_are_measured_at_once(desk: Desk) -> None:
    """And told in their order."""
    only = ("--program", "dekker", "--model", "sc", "--no-plots", "--out", "out")
    answer = desk.bench("equivalences", *only, "--jobs", "2")
    assert answer.status == 0, answer.err
    cases = suite_named("equivalences").cases(SuiteSelection(models=("sc",), programs=("dekker",)))
    assert [line.partition(": ")[0].strip() for line in answer.out.splitlines()[1:-1]] == [each.title for each in cases]


def test_rows_that_measure_time_run_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise AssertionError("several at once")

    monkeypatch.setattr("mcr.jobs.pool.Pool", none)
    small = ("reference", "--program", "mp", "--model", "sc", "--no-plots", "--out", "out", "--jobs", "2")
    assert desk.bench(*small).status == 0
