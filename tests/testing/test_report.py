"""What a failing test looks like: in the terminal, in summaries and in files."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.testing.project import Project, failures, failures_of

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

SECTION = """\
== FAILURES =============================================
_____________________________________________ sb[tso] ______________________________________________
sb fails under TSO: AssertionError: both read 0
  at test_sb.py:17, in somebody_saw (the final function)
      assert any(thread.join() for thread in threads), "both read 0"

Possible under TSO and PSO, impossible under SC.
"""
TABLE = """\
   line │ thread 0               │ thread 1     │ store buffers
        │ thread(x, y)           │ thread(y, x) │
───────────────────────────────────────────────────────────────
1     9 │ x = 1                  │              │ 0: x = 1
2    11 │ load y -> 0            │              │ 0: x = 1
3     9 │                        │ y = 1        │ 0: x = 1
4    11 │                        │ load x -> 0  │ 0: x = 1
5       │ ~ x = 1 reaches memory │              │
          after all threads ended:
6    17   join thread 0 -> 0
7    17   join thread 1 -> 0
     17   AssertionError: both read 0
"""
COMMAND = """
To play it again (--html FILE.html for a browser):
    mcr replay .mcr/test_sb/sb-tso.json
"""


@pytest.fixture
def failing(project: Project) -> Project:
    """A project with one test that fails."""
    project.store_buffering("@mcr.test(models='tso')")
    return project


@pytest.mark.parametrize("style", ["auto", "long", "native"])
def test_explanation_table_and_command(failing: Project, style: str) -> None:
    text = failures(failing.pytest(f"--tb={style}"))
    assert text.startswith(SECTION)
    assert "\nInitially x = 0, y = 0.\n" + TABLE in text
    assert COMMAND in text
    assert "mcr/testing" not in text


def test_short_is_without_the_table(failing: Project) -> None:
    text = failures(failing.pytest("--tb=short"))
    assert text.startswith(SECTION)
    assert COMMAND in text
    assert "│" not in text


def test_line_is_one_line(failing: Project) -> None:
    lines = failures(failing.pytest("--tb=line")).splitlines()
    assert lines[1:-1] == [f"{failing.folder}/test_sb.py:17: AssertionError: both read 0"]


def test_no_is_nothing_but_the_summary(failing: Project) -> None:
    text = failing.pytest("--tb=no").stdout.str()
    assert "FAILED test_sb.py::sb[tso] - AssertionError: both read 0" in text
    assert "fails under" not in text


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_fits_the_terminal(failing: Project, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = failures(failing.pytest())
    assert max(map(len, text.splitlines()[1:])) <= columns
    assert "join thread 0" in text


def test_colour_changes_nothing_else(failing: Project) -> None:
    failing.pytest()
    plain = failures(failing.pytest("--color=no"))
    coloured = failing.pytest("--color=yes").stdout.str()
    assert "\x1b[1;31msb fails under TSO: AssertionError: both read 0\x1b[0m" in coloured
    bare = failures_of(ESCAPE.sub("", coloured))
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_verbose_names_are_ids(failing: Project) -> None:
    failing.pytest("-v").stdout.fnmatch_lines(["test_sb.py::sb[[]tso] FAILED *100%]"])


def test_summary_of_everything(project: Project) -> None:
    project.store_buffering("@mcr.fails(models=['tso', 'pso'])\n@mcr.test")
    project.pytest("-rA").stdout.fnmatch_lines(
        [
            "* PASSES *",
            "* sb[[]sc] *",
            "* Captured mcr call *",
            "verified under SC: 20 global states, 8 local states",
            "* sb[[]tso] *",
            "fails under TSO, as it should: AssertionError: both read 0",
            "mcr replay .mcr/test_sb/sb-tso.json",
            "PASSED test_sb.py::sb[[]sc]",
            "PASSED test_sb.py::sb[[]tso]",
        ]
    )


@pytest.mark.parametrize("arguments", [(), ("-n1",), ("--tb=line",), ("--tb=no",)])
def test_junit_has_the_explanation(failing: Project, arguments: tuple[str, ...]) -> None:
    failing.pytest("--junitxml=report.xml", *arguments)
    failure = ElementTree.parse(failing.folder / "report.xml").find(".//failure")
    assert failure is not None
    assert failure.get("message") == "AssertionError: both read 0"
    assert failure.text is not None
    assert failure.text.startswith("sb fails under TSO: AssertionError: both read 0\n")
    assert TABLE in failure.text


def test_junit_has_figures_of_what_passed(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc')")
    project.pytest("--junitxml=report.xml")
    properties = ElementTree.parse(project.folder / "report.xml").iter("property")
    figures = {each.get("name"): each.get("value") for each in properties}
    assert figures == {
        "mcr_verdict": "verified",
        "mcr_global_states": "20",
        "mcr_executions": "0",
        "mcr_local_states": "8",
    }


def test_what_the_program_prints_is_captured(project: Project) -> None:
    program = "def a(p):\n    def go():\n        print('hello')\n        assert False\n    p.thread(go)"
    project.write("test_x.py", f"@mcr.test(models='sc')\n{program}")
    project.pytest().stdout.fnmatch_lines(["a fails under SC: *", "*Captured stdout call*", "hello"])


def test_a_second_run_shows_the_same_failure(failing: Project) -> None:
    """But that nothing else was explored."""
    first, second = failures(failing.pytest()), failures(failing.pytest())
    assert TABLE in first
    assert TABLE in second
    assert "not decided under SC (not explored)" in second


def test_no_stack_is_written_out_that_nobody_sees(project: Project) -> None:
    """Pytest would read every module on the way to where the failure was found."""
    project.write(
        "conftest.py", "def pytest_exception_interact(call):\n    print(len(call.excinfo.traceback), 'frames')"
    )
    project.store_buffering()
    assert " F1 frames" in project.pytest("-s", "--mcr-model", "tso").stdout.str()
