"""Failing schedules are kept, tried first in the next run, and forgotten when the bug is fixed."""

from __future__ import annotations

import json

import pytest

import mcr.testing.checking
from replay.traces.files import load_trace
from tests.testing.project import Project

STILL = "The schedule kept in .mcr/test_sb/sb-tso.json still fails; no other was tried."


@pytest.fixture
def failed(project: Project) -> Project:
    """A project whose test failed once."""
    project.store_buffering("@mcr.test(models='tso')")
    project.pytest().assert_outcomes(failed=1)
    return project


def forbid_exploring(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("there is no need to explore")

    monkeypatch.setattr(mcr.testing.checking, "check", refuse)


def test_kept_where_the_test_is(project: Project) -> None:
    project.store_buffering("@mcr.test")
    (project.folder / "deep/er").mkdir(parents=True)
    (project.folder / "test_sb.py").rename(project.folder / "deep/er/test_sb.py")
    project.pytest().assert_outcomes(passed=1, failed=2)
    assert project.kept() == [".mcr/deep/er/test_sb/sb-pso.json", ".mcr/deep/er/test_sb/sb-tso.json"]


def test_replay_plays_what_was_kept(failed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the folder of the project, and from another."""
    file = failed.folder / ".mcr/test_sb/sb-tso.json"
    for folder in (failed.folder, failed.folder / ".mcr"):
        monkeypatch.chdir(folder)
        answer = failed.mcr("replay", str(file))
        assert answer.status == 1
        assert answer.out.endswith("The failure occurs again.\n")
    assert json.loads(file.read_text())["program"]["file"] == "test_sb.py"


def test_a_bug_that_persists_is_shown_without_exploring(failed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_exploring(monkeypatch)
    result = failed.pytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([STILL, "sb fails under TSO: AssertionError: both read 0", "*thread 0*thread 1*"])


def test_a_fix_is_confirmed_and_the_schedule_forgotten(failed: Project) -> None:
    failed.store_buffering("@mcr.test(models='tso')", fence="p.fence")
    result = failed.pytest("-rA")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["verified under TSO: *", "fixed: .mcr/test_sb/sb-tso.json failed before, and is removed"]
    )
    assert failed.kept() == []
    assert "fixed" not in failed.pytest("-rA").stdout.str()


def test_a_fix_of_what_was_kept_is_not_taken_for_a_fix_of_everything(failed: Project) -> None:
    """The schedule does not fit any more, but another one fails."""
    file = failed.folder / "test_sb.py"
    file.write_text(file.read_text().replace("mine.store(1)", "mine.store(0); mine.store(1)"))
    result = failed.pytest()
    result.assert_outcomes(failed=1)
    assert STILL not in result.stdout.str()
    failed.pytest().stdout.fnmatch_lines([STILL])


def test_lines_of_a_kept_schedule_are_those_of_today(failed: Project) -> None:
    file = failed.folder / "test_sb.py"
    before = load_trace(failed.folder / ".mcr/test_sb/sb-tso.json")
    file.write_text("\n\n" + file.read_text())
    failed.pytest().stdout.fnmatch_lines([STILL])
    after = load_trace(failed.folder / ".mcr/test_sb/sb-tso.json")
    lines = [event.line.line for trace in (before, after) for event in trace.events[:1] if event.line]
    assert lines[1] == lines[0] + 2


def test_incomplete_is_no_fix(failed: Project) -> None:
    failed.store_buffering("@mcr.test(models='tso', algorithm='cover', max_executions=1)", fence="p.fence")
    failed.pytest().assert_outcomes(failed=1)
    assert failed.kept() == [".mcr/test_sb/sb-tso.json"]


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"schema": "mcr-trace/9"}'])
def test_a_damaged_file_counts_as_none(failed: Project, text: str) -> None:
    file = failed.folder / ".mcr/test_sb/sb-tso.json"
    file.write_text(text)
    result = failed.pytest()
    result.assert_outcomes(failed=1)
    assert STILL not in result.stdout.str()
    assert load_trace(file).failure is not None


def test_a_schedule_of_another_model_counts_as_none(failed: Project) -> None:
    file = failed.folder / ".mcr/test_sb/sb-tso.json"
    file.rename(file.with_name("sb-sc.json"))
    failed.store_buffering("@mcr.test(models='sc')")
    failed.pytest().assert_outcomes(passed=1)


def test_a_kept_deadlock_fails_only_who_looks_for_deadlocks(project: Project) -> None:
    program = "def a(p):\n    x = p.var('x', 0)\n    p.thread(lambda: p.wait_until(lambda: x.load() == 1))"
    project.write("test_x.py", f"@mcr.test(models='sc')\n{program}")
    project.pytest().assert_outcomes(failed=1)
    project.pytest().stdout.fnmatch_lines(["The schedule kept in *"])
    project.pytest("--mcr-allow-deadlock").assert_outcomes(passed=1)
    project.write("test_x.py", f"@mcr.test(models='sc', deadlocks=False)\n{program}")
    project.pytest().assert_outcomes(passed=1)


COUNTING = """
class Counter:
    def __init__(self):
        self.count = 0

    def add(self):
        self.count += 1


@mcr.test{options}
def counting(p):
    counter = p.share(Counter())
    p.thread(counter.add)
    p.thread(counter.add)

    @p.final
    def nothing_is_lost():
        assert counter.count == 2
"""


def test_a_schedule_is_played_for_its_own_kind_of_python_only(project: Project) -> None:
    """Without the global lock an update is lost, with it none is."""
    project.write("test_count.py", COUNTING.format(options=""))
    project.pytest().assert_outcomes(failed=1)
    project.pytest("--mcr-python", "gil").assert_outcomes(passed=1)
    assert project.kept() == [".mcr/test_count/counting-sc.json"]
    project.pytest().stdout.fnmatch_lines([STILL.replace("sb-tso", "counting-sc").replace("test_sb", "test_count")])
    kept = project.folder / ".mcr/test_count"
    (kept / "counting-sc.json").rename(kept / "counting-sc-gil.json")
    project.write("test_count.py", COUNTING.format(options='(python="gil")'))
    project.pytest().assert_outcomes(passed=1)


def test_a_known_bug_is_reproduced_from_its_schedule(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.store_buffering("@mcr.fails(models=['tso', 'pso'])\n@mcr.test(models=['tso', 'pso'])")
    project.pytest().assert_outcomes(passed=2)
    forbid_exploring(monkeypatch)
    result = project.pytest("-rA")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "fails under TSO, as it should: AssertionError: both read 0",
            "mcr replay .mcr/test_sb/sb-tso.json",
        ]
    )


@pytest.mark.parametrize("fails", ["", "@mcr.fails(models='tso')\n"])
def test_a_folder_that_cannot_be_written_is_mentioned(project: Project, fails: str) -> None:
    """It hides no failure, not even where warnings are errors; and fails no test."""
    project.store_buffering(f"{fails}@mcr.test(models='tso')")
    project.write(".mcr", "a file")
    result = project.pytest() if fails else project.pytest("-W", "error")
    assert "sb-tso.json: the trace cannot be written" in result.stdout.str().replace("\n", "")
    if fails:
        result.assert_outcomes(passed=1, warnings=1)
    else:
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["sb fails under TSO: *"])
    assert "mcr replay" not in result.stdout.str()


def test_a_folder_outside_the_project(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    project.store_buffering("@mcr.test(models='tso')")
    project.pytest(f"--mcr-folder={outside}").assert_outcomes(failed=1)
    assert project.mcr("replay", str(outside / "test_sb/sb-tso.json")).status == 1


def test_two_tests_never_share_a_file(project: Project) -> None:
    """Files of one name in two folders, and two names for one program."""
    project.store_buffering("@mcr.test(models='tso')")
    text = (project.folder / "test_sb.py").read_text() + "\nother = mcr.test(sb.function, models='tso')\n"
    for name in ("a_b/test_sb.py", "a/b/test_sb.py"):
        (project.folder / name).parent.mkdir(parents=True)
        (project.folder / name).write_text(text)
    project.pytest("--import-mode=importlib").assert_outcomes(failed=5)
    assert len(project.kept()) == 5


def test_a_failing_trace_survives_an_end_in_the_middle(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is written when it is found, not when all is said."""

    def explore(*_: object, on_failure: mcr.exploration.evidence.OnFailure, **__: object) -> None:
        on_failure(trace)
        raise KeyboardInterrupt

    project.store_buffering("@mcr.test(models='tso')")
    project.pytest().assert_outcomes(failed=1)
    file = project.folder / ".mcr/test_sb/sb-tso.json"
    trace = load_trace(file)
    file.unlink()
    monkeypatch.setattr(mcr.testing.checking, "check", explore)
    project.pytest(no_reraise_ctrlc=True)
    assert load_trace(file) == trace


def test_the_file_is_what_check_writes(failed: Project) -> None:
    """Also that the program is the same although pytest rewrites assertions."""
    failed.mcr("check", str(failed.folder / "test_sb.py"), "--model", "tso")
    checked, kept = (load_trace(failed.folder / f".mcr/{name}sb-tso.json") for name in ("", "test_sb/"))
    assert checked.failure is not None
    assert kept.failure is not None
    assert checked.failure.message == kept.failure.message == "both read 0"
    assert checked.program.fingerprint == kept.program.fingerprint
