"""The tool-info module for BenchExec, and the tasks for it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from results.benchexec import fails_under, write
from tests.desk import EXAMPLES, Desk
from tests.examples.test_examples import PROGRAMS
from tests.examples.test_examples import fails_under as said


def test_the_tasks_say_which_verdicts_programs_must_have(tmp_path: Path) -> None:
    count = write(tmp_path)
    names = (tmp_path / "reference.set").read_text().split()
    assert len(names) == count == len(list(tmp_path.glob("*.yml"))) > 40
    text = (tmp_path / "peterson-tso.yml").read_text()
    assert "expected_verdict: false" in text
    assert (tmp_path / text.split('"')[3]).resolve() == EXAMPLES / "reference.py"
    for program in PROGRAMS.values():
        assert fails_under(program) - {"nothing"} == said(program)


@pytest.fixture
def tool() -> Any:
    pytest.importorskip("benchexec")
    from mcr.benchexec import Tool

    return Tool()


def command(tool: Any, options: object) -> list[str]:
    task = SimpleNamespace(single_input_file="a.py", options=options)
    found: list[str] = tool.cmdline("mcr", ["--verbose"], task, SimpleNamespace(cputime=None, walltime=None))
    return found


def test_the_command_of_a_task(tool: Any, desk: Desk) -> None:
    told = {"program": "bakery", "model": "tso", "parameters": {"n": 2}}
    found = command(tool, told)
    assert found == ["mcr", "check", "a.py::bakery", "--model", "tso", "--json", "--set", "n=2", "--verbose"]
    task = SimpleNamespace(single_input_file="a.py", options=told)
    limited = tool.cmdline("mcr", [], task, SimpleNamespace(cputime=100, walltime=None))
    assert limited[-2:] == ["--timeout", "90"]
    desk.copy("reference.py")
    answer = desk.mcr(*[word.replace("a.py", "reference.py") for word in found[1:-1]])
    run = SimpleNamespace(
        was_terminated=False, exit_code=SimpleNamespace(value=answer.status), output=SimpleNamespace(text=answer.out)
    )
    assert tool.determine_result(run) == "false"
    document = json.loads(answer.out)["results"][0]
    assert tool.get_value_from_output(run.output, "executions") == str(document["statistics"]["executions"])
    assert tool.get_value_from_output(SimpleNamespace(text="killed"), "executions") is None


@pytest.mark.parametrize(("status", "result"), [(0, "true"), (1, "false"), (2, "ERROR"), (3, "unknown"), (9, "ERROR")])
def test_results(tool: Any, status: int, result: str) -> None:
    run = SimpleNamespace(was_terminated=False, exit_code=SimpleNamespace(value=status))
    assert tool.determine_result(run) == result


def test_a_task_without_a_program_is_refused(tool: Any) -> None:
    from benchexec.tools.template import UnsupportedFeatureException

    with pytest.raises(UnsupportedFeatureException, match="needs the options program and model"):
        command(tool, {"language": "C"})
