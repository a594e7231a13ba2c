"""[tool.mcr] in pyproject.toml and options of the command line: who wins, and what is refused."""

from __future__ import annotations

import pytest

from tests.desk import Desk
from tests.testing.project import Project

TRIVIAL = "@mcr.test\ndef a(p): p.thread(p.fence)"
TABLE = """
    [tool.mcr]
    models = ["pso", "SC"]
    timeout = 20
    memory = "400G"
    max_executions = 1000
    max_operations = 50
    solver = "glucose4"
    folder = "kept"
    allow_incomplete = false
    collect = false
"""


def test_every_key_is_read(project: Project) -> None:
    project.write("pyproject.toml", TABLE)
    project.store_buffering()
    result = project.pytest()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["    mcr replay kept/test_sb/sb-pso.json"])
    assert not (project.folder / ".mcr").exists()


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({}, None),
        ({"project": 1}, 1),
        ({"project": 1, "test": 2}, 2),
        ({"project": 1, "test": 1, "command": 2}, 2),
        ({"project": 1, "test": 1000}, None),
        ({"test": 1000, "command": 1}, 1),
    ],
)
def test_command_line_before_decorator_before_project(
    project: Project, given: dict[str, int], limit: int | None
) -> None:
    """Told by the limit that cuts a check of three executions."""
    test = f", max_executions={given['test']}" if "test" in given else ""
    project.store_buffering(f"@mcr.test(models='sc', objective='rf'{test})")
    if "project" in given:
        project.write("pyproject.toml", f"[tool.mcr]\nmax_executions = {given['project']}")
    result = project.pytest(*(["--mcr-max-executions", str(given["command"])] if "command" in given else []))
    if limit is None:
        result.assert_outcomes(passed=1)
    else:
        result.stdout.fnmatch_lines([f"*the limit of {limit} execution{'s' * (limit > 1)} was reached"])


def test_solver_and_timeout_of_the_command_line(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc')")
    project.pytest("--mcr-solver", "z3").assert_outcomes(passed=1)
    result = project.pytest("--mcr-timeout", "0.000001")
    result.stdout.fnmatch_lines(["*the time limit of 1e-06 s was reached", "What helps: raise --mcr-timeout*"])


def test_memory_of_the_command_line(project: Project) -> None:
    """The project is checked in this process, which after thousands of tests may hold some gigabytes itself."""
    project.store_buffering("@mcr.test(models='sc', memory='400G')")
    project.pytest().assert_outcomes(passed=1)
    result = project.pytest("--mcr-memory", "1M")
    result.stdout.fnmatch_lines(["*the memory limit of 1 MB was reached", "What helps: raise --mcr-memory*"])


def test_max_operations_of_the_command_line(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc')")
    result = project.pytest("--mcr-max-operations", "1")
    result.stdout.fnmatch_lines(["*was cut after 1 operation at line *", "What helps: *--mcr-max-operations*"])


def test_folder_of_the_command_line_is_below_the_current_one(project: Project) -> None:
    project.store_buffering("@mcr.test(models='tso')")
    (project.folder / "here").mkdir()
    project.pytester.chdir()
    project.pytest("--mcr-folder", "here/kept").assert_outcomes(failed=1)
    assert (project.folder / "here/kept/test_sb/sb-tso.json").is_file()


REFUSED = {
    "unknown key": (
        "timeuot = 3",
        "timeuot: there is no such key; there are models, algorithm, python, deadlocks, merge, solver, timeout",
    ),
    "objective": ("objective = 'states'", "objective: there is no such key"),
    "models": ("models = ['arm']", "models: unknown memory model 'arm'"),
    "timeout": ("timeout = '3'", "timeout: '3' is not a number of seconds above 0"),
    "memory": ("memory = 'much'", "memory: 'much' is not a size of 1M or more, such as 300M or 2G"),
    "executions": ("max_executions = 0", "max_executions: 0 is not a whole number above 0"),
    "merge": ("merge = 'no'", "merge: 'no' is neither true nor false"),
    "solver": ("solver = 'z4'", "solver: there is no solver 'z4'"),
    "folder": ("folder = 3", "folder: 3 is not the name of a folder"),
    "collect": ("collect = 'all'", "collect: 'all' is neither true nor false"),
}


@pytest.mark.parametrize(("line", "sentence"), REFUSED.values(), ids=REFUSED)
def test_mistakes_in_the_project_are_refused_everywhere(project: Project, line: str, sentence: str) -> None:
    project.write("pyproject.toml", f"[tool.mcr]\n{line}")
    file = project.write("test_x.py", TRIVIAL)
    result = project.pytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"pyproject.toml: [tool.mcr] {sentence}" in result.stderr.str()
    answer = project.mcr("check", str(file))
    assert answer.status == 2
    assert f"pyproject.toml: [tool.mcr] {sentence}" in answer.err


@pytest.mark.parametrize("text", ["tool.mcr = 3", "[tool.mcr", "# mcr\n[tool]\nmcr = []"])
def test_what_is_no_table_is_refused(project: Project, text: str) -> None:
    project.write("pyproject.toml", text)
    result = project.pytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "pyproject.toml: " in result.stderr.str()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--mcr-model", "arm"), "--mcr-model: unknown memory model 'arm'"),
        (("--mcr-timeout", "soon"), "argument --mcr-timeout: 'soon' is not a number of seconds above 0"),
        (("--mcr-timeout", "0"), "--mcr-timeout: 0.0 is not a number of seconds above 0"),
        (("--mcr-max-executions", "-1"), "--mcr-max-executions: -1 is not a whole number above 0"),
        (("--mcr-solver", "z4"), "--mcr-solver: there is no solver 'z4'"),
    ],
)
def test_mistakes_of_the_command_line_are_refused(project: Project, arguments: tuple[str, ...], sentence: str) -> None:
    project.write("test_x.py", TRIVIAL)
    result = project.pytest(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert sentence in result.stderr.str()


# -- mcr check reads the same table ---------------------------------------------------


def test_check_reads_the_project(desk: Desk) -> None:
    desk.write("pyproject.toml", TABLE)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering")
    assert [line.split()[1] for line in answer.out.splitlines()[1:3]] == ["SC", "PSO"]
    assert "mcr replay kept/store_buffering-pso.json" in answer.out
    assert desk.mcr("check", "litmus.py::store_buffering", "--json").document["results"][0]["solver"] == "glucose4"


def test_check_reads_the_project_above(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("pyproject.toml", TABLE)
    desk.copy("litmus.py")
    (desk.folder / "below").mkdir()
    monkeypatch.chdir(desk.folder / "below")
    desk.mcr("check", "../litmus.py::store_buffering")
    assert (desk.folder / "kept/store_buffering-pso.json").is_file()


def test_check_does_what_its_command_line_says_first(desk: Desk) -> None:
    desk.write("pyproject.toml", "[tool.mcr]\nmodels = ['sc']\nmax_executions = 1\nfolder = 'kept'")
    desk.copy("litmus.py")
    target = "litmus.py::store_buffering"
    assert desk.mcr("check", target, "--algorithm", "cover").status == 3
    assert desk.mcr("check", target, "--algorithm", "cover", "--max-executions", "9").status == 0
    assert desk.mcr("check", target, "--model", "all", "--max-executions", "9", "--save", "there").status == 1
    assert (desk.folder / "there/store_buffering-tso.json").is_file()
