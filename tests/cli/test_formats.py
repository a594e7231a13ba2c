"""Reports for continuous integration, read by what reads them there: SARIF by its schema, JUnit by a parser."""

from __future__ import annotations

import re

import pytest

from tests.desk import Answer, Desk

PROGRAMS = """
import mcr

@mcr.program
def fine(p):
    x = p.var("x", 0)
    p.thread(lambda: x.fetch_add(1))

@mcr.program
def lost(p):
    x = p.var("x", 0)
    for _ in range(2):
        p.thread(lambda: x.store(x.load() + 1))

    @p.final
    def both():
        assert x.load() == 2, "100%: one, or two\\nlines"

@mcr.program
def endless(p):
    x = p.var("x", 0)

    def stores():
        held = memoryview(b"a")  # no local state with one is compared with others
        for n in range(99):
            x.store(n)
        held.release()

    p.thread(stores)
"""

BROKEN = """
import mcr

@mcr.program
def broken(p):
    p.thread(undefined)
"""


@pytest.fixture
def checked(desk: Desk) -> object:
    desk.write("programs.py", PROGRAMS)
    desk.write("broken.py", BROKEN)

    def check(*how: str) -> Answer:
        answer = desk.mcr("check", "programs.py", "broken.py", "--model", "sc,tso", "--max-operations", "20", *how)
        assert answer.status == 2
        return answer

    return check


SENTENCE = "lost fails under SC, TSO and PSO: AssertionError: 100%: one, or two"


def test_one_line_for_each_finding(checked) -> None:
    lines = checked("--short").out.splitlines()
    assert len(lines) == 5
    assert f"programs.py:16: {SENTENCE}\\nlines (mcr replay .mcr/lost-sc.json)" in lines
    assert lines[-1] == "7 checks: 1 error, 2 bugs, 2 incomplete, 2 verified."
    assert any(re.match(r"broken.py:5: .*undefined", line) for line in lines)


def test_annotations_of_github(checked) -> None:
    lines = checked("--format", "github").out.splitlines()
    annotations = [line for line in lines if line.startswith("::")]
    title = "title=lost fails under SC%2C TSO and PSO"
    assert (
        f"::error file=programs.py,line=16,{title}::AssertionError: 100%25: one, or two\\nlines%0A"
        "mcr replay .mcr/lost-sc.json"
    ) in annotations
    assert [line.split(",")[0] for line in annotations].count("::warning file=programs.py") == 2


def test_sarif_is_what_its_schema_says(checked) -> None:
    model = pytest.importorskip("pydantic_sarif.model")
    answer = checked("--format", "sarif")
    log = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(answer.document)
    (run,) = log.runs
    results = {result.ruleId: result for result in run.results}
    assert set(results) == {"AssertionError", "Incomplete", "BrokenModel"}
    assert [run.tool.driver.rules[result.ruleIndex].id for result in run.results] == [
        result.ruleId for result in run.results
    ]
    failure = results["AssertionError"]
    assert failure.message.text.startswith(SENTENCE)
    flows = failure.codeFlows[0].threadFlows
    assert [flow.id for flow in flows] == ["thread 0", "thread 1", "the final function"]
    order = sorted(step.executionOrder for flow in flows for step in flow.locations)
    assert order == list(range(1, len(order) + 1))
    assert failure.attachments[0].artifactLocation.uri == ".mcr/lost-sc.json"
    again = checked("--format", "sarif")
    assert again.out == answer.out


def test_junit_is_what_a_reader_of_it_takes(checked) -> None:
    reader = pytest.importorskip("junitparser")
    (suite,) = reader.JUnitXml.fromstring(checked("--format", "junit").out.encode())
    assert (suite.tests, suite.failures, suite.errors) == (7, 2, 3)
    results = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert results["fine[tso]"] == []
    assert results["lost[sc]"] == ["Failure"]
    assert results["endless[sc]"] == ["Error"]
    (failure,) = next(case for case in suite if case.name == "lost[sc]").result
    assert "mcr replay .mcr/lost-sc.json" in failure.text


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (["--format", "sarf"], "--format sarf: there are github, sarif, junit; did you mean 'sarif'?"),
        (["--format", "junit", "--short"], "--short and --format NAME are reports of their own"),
        (["--short", "--json"], "--short and --format NAME are reports of their own"),
    ],
)
def test_what_does_not_go_together_is_refused(checked, how: list[str], sentence: str) -> None:
    assert sentence in checked(*how).err
