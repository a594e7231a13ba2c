"""`pytest --mcr`: tests that start threads under all schedules, with their fixtures and parameters."""

from __future__ import annotations

import pytest

from tests.testing.project import Project

COUNTER = """
    import threading
    import unittest


    class Counter:
        def __init__(self):
            self.n, self.lock = 0, threading.Lock()

        def inc(self):
            self.n += 1

        def locked(self):
            with self.lock:
                self.n += 1


    def together(*functions):
        threads = [threading.Thread(target=function) for function in functions]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
"""

TWO = "counter = Counter()\n    together(counter.inc, counter.inc)\n    assert counter.n == 2"


def outcomes(project: Project, *arguments: str) -> dict[str, str]:
    """How tests ended, by name."""
    lines = project.pytest("-rA", "-q", *arguments).outlines
    ends = (line.split(" - ")[0].partition(" ") for line in lines if line.startswith(("PASSED", "FAILED", "ERROR")))
    return {name.partition("::")[2].rstrip(): end for end, _, name in ends}


def test_marked_tests_run_under_all_schedules_and_others_as_ever(project: Project) -> None:
    project.write(
        "test_x.py",
        COUNTER,
        f"@pytest.mark.mcr\ndef test_marked():\n    {TWO}",
        f"def test_unmarked():\n    {TWO}",
        "@pytest.mark.mcr\ndef test_locked():\n    counter = Counter()\n"
        "    together(counter.locked, counter.locked)\n    assert counter.n == 2",
        "def test_with_file(tmp_path):\n    (tmp_path / 'x').write_text('y')",
    )
    unmarked = {"test_unmarked": "PASSED", "test_locked": "PASSED", "test_with_file": "PASSED"}
    assert outcomes(project) == {"test_marked": "PASSED", **unmarked}
    assert outcomes(project, "--mcr") == {"test_marked": "FAILED", **unmarked}
    assert outcomes(project, "--mcr", "test_x.py") == {"test_marked": "FAILED", **unmarked}
    assert outcomes(project, "--mcr=all") == {"test_marked": "FAILED", **unmarked, "test_unmarked": "FAILED"}
    assert project.kept() == [".mcr/test_x/test_marked.json", ".mcr/test_x/test_unmarked.json"]


def test_fixtures_are_shared_and_every_schedule_finds_them_as_they_were(project: Project) -> None:
    project.write(
        "test_x.py",
        COUNTER,
        """
        @pytest.fixture
        def counter():
            made = Counter()
            yield made
            assert made.n == 0, "a run has written to the fixture"


        @pytest.mark.mcr
        def test_racy(counter):
            together(counter.inc, counter.inc)
            assert counter.n == 2


        @pytest.mark.mcr
        def test_right(counter):
            together(counter.locked, counter.locked)
            assert counter.n == 2


        def test_unmarked(counter):
            together(counter.inc, counter.inc)
            assert counter.n == 2
        """,
    )
    assert outcomes(project, "--mcr", "-m", "mcr") == {"test_racy": "FAILED", "test_right": "PASSED"}
    for flag, name in (("--mcr", "test_racy"), ("--mcr=all", "test_unmarked")):
        project.pytest(flag, "-k", name)
        again = project.pytest(flag, f"test_x.py::{name}")  # the command that the report names
        lines = ["*still fails; no other was tried*", f"*pytest {flag} test_x.py::{name}"]
        again.stdout.fnmatch_lines(lines)


def test_parameters_and_methods(project: Project) -> None:
    project.write(
        "test_x.py",
        COUNTER,
        """
        @pytest.mark.mcr
        @pytest.mark.parametrize("n", [1, 2])
        def test_many(n):
            counter = Counter()
            together(*[counter.inc] * n)
            assert counter.n == n


        @pytest.mark.mcr
        class TestOfPytest:
            def setup_method(self):
                self.counter = Counter()

            def test_it(self):
                together(self.counter.inc, self.counter.inc)
                assert self.counter.n == 2


        @pytest.mark.mcr
        class TestOfUnittest(unittest.TestCase):
            def setUp(self):
                self.counter = Counter()

            def test_it(self):
                together(self.counter.inc, self.counter.inc)
                self.assertEqual(self.counter.n, 2)
        """,
    )
    assert outcomes(project, "--mcr") == {
        "test_many[1]": "PASSED",
        "test_many[2]": "FAILED",
        "TestOfPytest::test_it": "FAILED",
        "TestOfUnittest::test_it": "FAILED",
    }
    assert "test_many(n=2) fails under SC" in project.mcr("replay", ".mcr/test_x/test_many[2].json").out


@pytest.mark.parametrize(
    ("mark", "body", "sentence"),
    [
        ("mcr(time=2)", "pass", "*test_x.py:*: @pytest.mark.mcr: time: there is no such key*mean 'timeout'*"),
        ("mcr(60)", "pass", "*@pytest.mark.mcr: options are named, as in timeout=60, and not 60*"),
        ("mcr", "together(lambda: open('x'))", "*test_x.py:*: thread code uses a file, which a model cannot have*"),
        ("mcr(max_executions=1, algorithm='trust')", TWO.replace("== 2", "> 0"), "*is not decided under SC*"),
    ],
)
def test_what_cannot_be_decided_fails_with_a_sentence(project: Project, mark: str, body: str, sentence: str) -> None:
    project.write("test_x.py", COUNTER, f"@pytest.mark.{mark}\ndef test_it():\n    {body}")
    project.pytest("--mcr", "--tb=line").stdout.fnmatch_lines([sentence])


def test_all_fails_what_is_refused_before_it_starts_its_threads(project: Project) -> None:
    """It is not verified; that it starts threads is seen where it runs as ever."""
    project.write(
        "test_x.py",
        COUNTER,
        "def test_files():\n    open(__file__).close()\n    together(Counter().inc)",
        "def test_files_alone():\n    open(__file__).close()",
        "def test_fails_as_ever():\n    open(__file__).close()\n    together(Counter().inc)\n    assert False",
    )
    ends = {"test_files": "FAILED", "test_files_alone": "PASSED", "test_fails_as_ever": "FAILED"}
    assert outcomes(project, "--mcr=all") == ends
    result = project.pytest("--mcr=all", "--tb=line")
    result.stdout.fnmatch_lines(["*test_x.py:*: thread code uses a file, which a model cannot have*"])
    assert outcomes(project) == {"test_files": "PASSED", "test_files_alone": "PASSED", "test_fails_as_ever": "FAILED"}


def test_other_marks_and_async_tests_stay_what_they_are(project: Project) -> None:
    project.write(
        "test_x.py",
        COUNTER,
        f"@pytest.mark.mcr\n@pytest.mark.xfail(strict=True)\ndef test_known():\n    {TWO}",
        f"@pytest.mark.mcr\n@pytest.mark.skip\ndef test_skipped():\n    {TWO}",
    )
    project.pytest("--mcr").assert_outcomes(xfailed=1, skipped=1)
