"""Which programs become tests, under which names, and how pytest selects them."""

from __future__ import annotations

import pytest

from tests.testing.project import SB, Project

MODELS = ("sc", "tso", "pso")
TRIVIAL = "(p, n=1):\n    p.thread(p.fence)\n"


def write(project: Project, *decorated: str, name: str = "test_x.py") -> None:
    project.write(name, *(f"{text}{TRIVIAL}" for text in decorated))


def ids(*names: str, models: tuple[str, ...] = MODELS, file: str = "test_x.py") -> list[str]:
    return [f"{file}::{name}[{model}]" for name in names for model in models]


def test_each_model_is_a_test(project: Project) -> None:
    write(project, "@mcr.test\ndef a", "@mcr.test(models=('tso', 'sc'))\n@mcr.program\ndef b")
    assert project.ids() == [*ids("a"), *ids("b", models=("sc", "tso"))]


def test_ordinary_objects_have_the_model_of_cpython(project: Project) -> None:
    text = "class Flag:\n    up = False\n\n@mcr.test{}\ndef {}(p):\n    flag = p.share(Flag())\n    p.thread(p.fence)\n"
    project.write("test_x.py", text.format("", "a"), text.format("(models='all')", "b"))
    assert project.ids() == [*ids("a", models=("sc",)), *ids("b")]


def test_fails_alone_is_a_test(project: Project) -> None:
    write(project, "@mcr.fails(models='pso')\ndef a")
    assert project.ids() == ids("a")


def test_programs_named_like_tests_are_tests(project: Project) -> None:
    write(project, "@mcr.program\ndef test_a", "@mcr.program\ndef other")
    assert project.ids() == ids("test_a")


def test_names_of_tests_are_those_that_pytest_is_told(project: Project) -> None:
    write(project, "@mcr.program\ndef check_a", "@mcr.program\ndef test_b")
    project.write("pytest.ini", "[pytest]\npython_functions = check_*")
    assert project.ids() == ids("check_a")


@pytest.mark.parametrize("way", ["--mcr-collect", "pyproject"])
def test_every_program_of_a_file_is_a_test_if_that_is_asked_for(project: Project, way: str) -> None:
    write(project, "@mcr.program\ndef theirs", name="model.py")
    write(project, "from model import theirs\n@mcr.program\ndef ours")
    if way == "pyproject":
        project.write("pyproject.toml", "[tool.mcr]\ncollect = true")
    assert project.ids(*([way] if way.startswith("-") else [])) == ids("ours")
    assert project.ids("--mcr-collect", "model.py") == ids("theirs", file="model.py")


def test_a_program_of_another_file_under_a_name_of_a_test(project: Project) -> None:
    write(project, "@mcr.program\ndef theirs", name="model.py")
    project.write("test_x.py", "import model", "test_theirs = mcr.test(model.theirs, settings={'n': 3})")
    assert project.ids() == ids("test_theirs")
    project.pytest("-q", "-rA").stdout.fnmatch_lines(["PASSED test_x.py::test_theirs*"])


def test_the_decorators_are_no_tests_where_they_are_imported(project: Project) -> None:
    write(project, "from mcr import *\n@test\ndef a")
    assert project.ids() == ids("a")


def test_select_by_id_keyword_mark_and_model(project: Project) -> None:
    write(project, "@mcr.test\ndef a", "@mcr.test\n@pytest.mark.skipif(False, reason='')\ndef b")
    project.write("test_y.py", "def test_plain(): pass")
    a_tso, b_tso = "test_x.py::a[tso]", "test_x.py::b[tso]"
    assert project.ids("test_x.py::a") == ids("a")
    assert project.ids(a_tso) == [a_tso]
    assert project.ids("-k", "tso and not b") == [a_tso]
    assert project.ids("-m", "mcr") == ids("a", "b")
    assert project.ids("-m", "skipif") == ids("b")
    assert project.ids("--mcr-model", "tso") == [a_tso, b_tso, "test_y.py::test_plain"]
    assert project.ids("--mcr-model", "sc", "--mcr-model", "pso", "-m", "mcr") == ids("a", "b", models=("sc", "pso"))
    project.pytest("--mcr-model", "tso").assert_outcomes(passed=3, deselected=4)


def test_skip_and_xfail_work(project: Project) -> None:
    expected = "@pytest.mark.xfail(strict=True)\n@mcr.test(models='tso')\ndef sb(p): declare(p)"
    skipped = "@pytest.mark.skip(reason='later')\n@mcr.program\ndef test_later(p): declare(p)"
    project.write("test_sb.py", SB, expected, skipped)
    project.pytest().assert_outcomes(xfailed=1, skipped=3)


REFUSED = {
    "class": ("class TestA:\n    @mcr.test\n    def a(p): pass", "a is in a class; programs that are tests belong"),
    "parametrize": (
        "@pytest.mark.parametrize('n', [1])\n@mcr.test\ndef a(p): pass",
        "pytest.mark.parametrize does nothing for a program",
    ),
    "fixtures": ("@pytest.mark.usefixtures('x')\n@mcr.test\ndef a(p): pass", "pytest.mark.usefixtures does nothing"),
    "default models": ("@mcr.fails(models='tso')\n@mcr.test\ndef a(p): pass", "what fails under TSO fails under PSO"),
    "at import": ("@mcr.fails(models='arm')\ndef a(p): pass", "@mcr.fails: models: unknown memory model 'arm'"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_a_test_is_refused_in_a_sentence(project: Project, text: str, sentence: str) -> None:
    project.write("test_x.py", text)
    result = project.pytest()
    result.assert_outcomes(errors=1)
    line = next(line for line in result.outlines if sentence in line)
    assert line.startswith("test_x.py:"), line
    assert "Traceback" not in result.stdout.str()
    assert "decorators.py" not in result.stdout.str()


def test_mistakes_of_others_keep_their_traceback(project: Project) -> None:
    project.write("test_x.py", "mcr.check(3)")
    result = project.pytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["test_x.py:5: in <module>"])
