"""What passes and what fails, and that every failure says why."""

from __future__ import annotations

import pytest

import mcr.testing.checking
from mcr.exploration.verdict import INTERRUPTED, Result, Statistics, Verdict
from tests.testing.project import SB, Project, failures


@pytest.mark.parametrize(
    ("decorators", "passed", "failed"),
    [
        ("@mcr.test", 1, 2),
        ("@mcr.test(models='sc')", 1, 0),
        ("@mcr.fails(models=['tso', 'pso'])\n@mcr.test", 3, 0),
        ("@mcr.fails(models=['pso'])\n@mcr.test(models=['sc', 'pso'])", 2, 0),
        ("@mcr.fails(models=['sc', 'tso', 'pso'])", 2, 1),
    ],
)
def test_verdicts(project: Project, decorators: str, passed: int, failed: int) -> None:
    project.store_buffering(decorators)
    project.pytest().assert_outcomes(passed=passed, failed=failed)


def test_a_known_bug_that_is_not_there_fails(project: Project) -> None:
    project.store_buffering("@mcr.fails(models=['tso', 'pso'])\n@mcr.test", fence="p.fence")
    result = project.pytest()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "test_sb.py:20: sb is verified under TSO, where @mcr.fails expects a failure (* global states, *",
            "If that is a fix, take tso out of @mcr.fails.",
        ]
    )


def test_incomplete_is_a_failure_with_reason_and_remedy(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc', algorithm='cover', max_executions=1)")
    result = project.pytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_sb.py:20: sb is not decided under SC: the limit of 1 execution was reached",
            "What helps: raise --mcr-max-executions; or let the test pass with a warning: allow_incomplete=True,",
            "--mcr-allow-incomplete.",
        ]
    )


@pytest.mark.parametrize("way", ["decorator", "--mcr-allow-incomplete", "pyproject"])
def test_incomplete_that_is_allowed_warns(project: Project, way: str) -> None:
    own = ", allow_incomplete=True" if way == "decorator" else ""
    project.store_buffering(f"@mcr.test(models='sc', algorithm='cover', max_executions=1{own})")
    if way == "pyproject":
        project.write("pyproject.toml", "[tool.mcr]\nallow_incomplete = true")
    result = project.pytest(*([way] if way.startswith("-") else []))
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*PytestWarning: sb is not decided under SC: the limit of 1 execution was reached"])


def test_verified_warns_of_what_never_runs(project: Project) -> None:
    project.write(
        "test_stuck.py",
        """
        import mcr

        @mcr.test(models="sc", deadlocks=False)
        def stuck(p):
            mutex = p.mutex("m")

            def thread():
                with mutex:
                    mutex.lock()

            p.thread(thread)
        """,
    )
    result = project.pytest()
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        ["*stuck is verified under SC, but no execution brings thread 0 to an end: a thread that goes on for ever, *"]
    )


def test_a_known_bug_that_a_limit_hides_fails(project: Project) -> None:
    """Even if incomplete checks are allowed: nobody saw it fail."""
    project.store_buffering(
        "@mcr.fails(models=['tso', 'pso'])\n@mcr.test(algorithm='cover', max_executions=1, allow_incomplete=True)"
    )
    result = project.pytest("-k", "not sc")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["test_sb.py:20: sb is not decided under TSO, where a failure is expected: the limit*"])
    assert "let the test pass" not in result.stdout.str()


BROKEN = {
    "declarations": ("p.vra('x', 0)", 7, "p has no 'vra'; did you mean 'var'?"),
    "value": ("p.thread(lambda: [])", 7, "thread 0 returned: a value of type 'list' cannot be stored*"),
    "nothing": ("pass", 5, "program a declares no threads"),
}


@pytest.mark.parametrize(("body", "line", "sentence"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("decorator", ["@mcr.test(models='sc')", "@mcr.fails(models='pso')"])
def test_a_broken_model_is_a_sentence(project: Project, decorator: str, body: str, line: int, sentence: str) -> None:
    project.write("test_x.py", f"{decorator}\ndef a(p):\n    {body}")
    result = project.pytest("-k", "sc or pso")
    assert result.parseoutcomes().get("passed") is None
    result.stdout.fnmatch_lines([f"test_x.py:{line}: {sentence}"])
    assert not any(word in failures(result) for word in ("Error:\n", "Traceback", "mcr/testing", "/replay/"))


def test_objective(project: Project) -> None:
    deadlock = "def a(p):\n    x = p.var('x', 0)\n    p.thread(lambda: p.wait_until(lambda: x.load() == 1))"
    project.write("test_x.py", f"@mcr.test(models='sc', objective='states,deadlocks')\n{deadlock}")
    result = project.pytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["a fails under SC: Deadlock*", "*waits: *", "FAILED test_x.py::a[[]sc] - Deadlock*"])


def test_settings_reach_the_program(project: Project) -> None:
    program = "def a(p, n):\n    def go():\n        assert n != 3\n    p.thread(go)"
    project.write("test_x.py", f"@mcr.test(models='sc', settings={{'n': 3}})\n{program}")
    project.pytest().stdout.fnmatch_lines(["a(n=3) fails under SC: assert n != 3"])


def test_a_solver_that_is_not_installed_is_a_sentence(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.registry.find_spec", lambda name: None)
    project.store_buffering("@mcr.test(models='sc', algorithm='cover')")
    project.pytest().stdout.fnmatch_lines(["The package python-sat is missing; run `pip install python-sat`."])


def test_mistakes_of_the_checker_keep_their_stack(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcr.testing.checking, "check", lambda *_, **__: 1 / 0)
    project.store_buffering("@mcr.test(models='sc')")
    project.pytest().stdout.fnmatch_lines(["*checking.py*", "*ZeroDivisionError*"])


def test_ctrl_c_ends_pytest(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine answers it with a result, so that nothing is lost; it must not be taken for one."""
    stopped = Result("sb", "", 1, "sc", Verdict.INCOMPLETE, Statistics(), stop=INTERRUPTED)
    monkeypatch.setattr(mcr.testing.checking, "check", lambda *_, **__: stopped)
    project.store_buffering("@mcr.test(models='sc', allow_incomplete=True)")
    result = project.pytest(no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*KeyboardInterrupt*"])


# -- assertions, which pytest rewrites ----------------------------------------------


def test_assertions_of_programs_say_what_they_say_everywhere(project: Project) -> None:
    """Rewritten ones show addresses of objects, which differ between two runs of one history."""
    project.store_buffering("@mcr.test(models='tso')")
    project.pytest().stdout.fnmatch_lines(["FAILED test_sb.py::sb[[]tso] - AssertionError: both read 0"])


def test_assertions_of_other_tests_stay_rewritten(project: Project) -> None:
    plain = "def test_plain():\n    assert [1, 2] == [1, 3]"
    project.write("test_x.py", SB, "@mcr.test(models='tso')\ndef sb(p): declare(p)", plain)
    project.pytest().stdout.fnmatch_lines(["*assert *1, 2* == *1, 3*", "*At index 1 diff: 2 != 3"])


def test_a_module_runs_once(project: Project) -> None:
    project.write("other.py", "ONCE = []")
    once = "import other\nother.ONCE.append(1)\nassert len(other.ONCE) == 1, 'again'"
    project.write("test_x.py", once, "@mcr.test(models='sc')\ndef a(p): p.thread(p.fence)")
    project.pytest().assert_outcomes(passed=1)


def test_helpers_with_assertions_say_what_they_say_everywhere(project: Project) -> None:
    """Threads of a program run functions of its module, and closures, that pytest has rewritten as well."""
    helper = "def check(cell):\n    value = cell.load()\n    (lambda: value)()\n    assert value == [1], 'it is not'"
    test = "@mcr.test(models='sc')\ndef a(p): p.thread(check, p.var('x', ()))"
    project.write("test_x.py", helper, test)
    project.pytest().stdout.fnmatch_lines(["FAILED test_x.py::a[[]sc] - AssertionError: it is not"])


def _said(raised: str) -> str:
    return "it ends the program" if raised == "SystemExit" else raised


@pytest.mark.parametrize("raised", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_an_exception_of_any_type_in_a_program_function(project: Project, raised: str) -> None:
    project.write("test_x.py", f"@mcr.test(models='sc')\ndef a(p):\n    raise {raised}")
    result = project.pytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"test_x.py:7: program a cannot be set up: {raised}*"])
