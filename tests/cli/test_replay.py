"""`mcr replay`: the failure again, or a clear word on why not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cli.recording import SOURCE, TRACE
from tests.desk import Desk


def test_the_failure_occurs_again(recorded: Desk) -> None:
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 1
    assert answer.out.startswith(
        "store_buffering fails under TSO: AssertionError: both read 0\n  at sb.py:15, in check"
    )
    assert answer.out.endswith("\nThe failure occurs again.\n")
    assert answer.err == "runs sb.py, which the trace names\n"


def test_the_same_report_as_that_of_the_check(recorded: Desk) -> None:
    told = recorded.mcr("check", "sb.py", "--model", "tso").out
    again = recorded.mcr("replay", TRACE).out
    table = [line for line in again.splitlines() if "│" in line]
    assert table
    assert set(table) <= set(told.splitlines())


@pytest.mark.parametrize("place", ["elsewhere", "below/and/below"])
def test_from_another_folder(recorded: Desk, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    folder = recorded.folder / place
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert recorded.mcr("replay", str(recorded.folder / TRACE)).status == 1


def test_a_trace_and_its_program_sent_together(recorded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded.write("sent/sb.py", SOURCE)
    recorded.write("sent/trace.json", (recorded.folder / TRACE).read_text())
    (recorded.folder / "sb.py").unlink()
    assert recorded.mcr("replay", "sent/trace.json").status == 1


def test_the_failure_is_gone(recorded: Desk) -> None:
    recorded.write("sb.py", SOURCE.replace("any(thread", "[thread").replace("threads), ", "threads], "))
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 0
    assert answer.out.startswith("Note: sb.py is not what it was when this was recorded.\n")
    assert answer.out.endswith("\nThe failure is gone.\n")


def test_another_failure(recorded: Desk) -> None:
    recorded.write("sb.py", SOURCE.replace("both read 0", "nobody saw"))
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 1
    assert answer.out.endswith("\nAnother failure occurs; recorded was AssertionError: both read 0.\n")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mine.store(1)", "p.fence(); mine.store(1)", r"to execute '[xy] = 1', found 'fence' \(sb\.py:8\)"),
        ("mine.store(1)", "mine.store(2)", r"to execute '[xy] = 1', found '[xy] = 2' \(sb\.py:8\)"),
        ("mine.store(1)", "mine.store(1); p.fence()", r"to execute 'load [xy]', found 'fence' \(sb\.py:8\)"),
        ("return other.load()", "pass", r"to execute 'load [xy]', found that it ended"),
        (", p.thread(thread, y, x)", "", r"a thread called 1, found threads 0, final"),
        (
            'p.var("x", 0), p.var("y", 0)',
            'p.var("x", 5), p.var("y", 5)',
            r"at 'load [xy]' to read 0, found 5 \(sb\.py:9\)",
        ),
    ],
)
def test_a_program_that_has_changed(recorded: Desk, old: str, new: str, said: str) -> None:
    recorded.write("sb.py", SOURCE.replace(old, new))
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 2
    assert f"\nerror: {TRACE}: step " in answer.err
    assert re.search(said, answer.err)
    said = "the program has changed since this was recorded, or something that it imports or reads"
    assert answer.err.endswith(f"; {said}\n")
    assert not answer.out


def test_something_imported_has_changed(desk: Desk) -> None:
    desk.write("helper.py", "VALUE = 1")
    desk.write("sb.py", SOURCE.replace("import mcr", "import mcr, helper").replace("store(1)", "store(helper.VALUE)"))
    desk.mcr("check", "sb.py", "--model", "tso")
    desk.write("helper.py", "VALUE = 23")
    process = desk.start("replay", TRACE)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "found 'y = 23'" in err or "found 'x = 23'" in err
    assert "the program has changed since this was recorded, or something that it imports or reads" in err


def test_on_another_program(recorded: Desk) -> None:
    recorded.write("other.py", SOURCE + "\n\n" + SOURCE.replace("def store_buffering", "def other"))
    assert recorded.mcr("replay", TRACE, "--program", "other.py::other").status == 1
    answer = recorded.mcr("replay", TRACE, "--program", "other.py")
    assert answer.status == 2
    assert "other.py names several programs; use FILE::NAME" in answer.err


def test_the_program_is_gone(desk: Desk) -> None:
    """It is looked for in the folders above, too, where others may have one of a common name."""
    desk.write("here_for_now.py", SOURCE)
    assert desk.mcr("check", "here_for_now.py", "--model", "tso").status == 1
    (desk.folder / "here_for_now.py").unlink()
    answer = desk.mcr("replay", TRACE)
    assert answer.status == 2
    assert "here_for_now.py: the program of this trace is not there any more" in answer.err


def _without_schedule(text: str) -> str:
    return json.dumps({key: value for key, value in json.loads(text).items() if key != "schedule"})


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) // 2], f"{TRACE}:"),
        (lambda text: "", f"{TRACE}:1: not JSON, or truncated"),
        (lambda text: "[]", f"{TRACE}: not a trace file (no schema)"),
        (lambda text: text.replace("mcr-trace/1", "mcr-trace/7"), "schema 'mcr-trace/7' is of another version"),
        (lambda text: text.replace('"model": "tso"', '"model": "arm"'), "unknown memory model 'arm'"),
        (lambda text: text.replace('"thread": "0"', '"thread": "7"'), f"{TRACE}: "),
        (lambda text: text.replace('"schedule"', '"plan"'), "there is no field 'plan'"),
        (_without_schedule, "there is no schedule in it to play"),
    ],
    ids=[
        "truncated",
        "empty",
        "not a trace",
        "another version",
        "unknown model",
        "unknown thread",
        "unknown field",
        "no schedule",
    ],
)
def test_files_that_are_no_traces(recorded: Desk, damage: object, said: str) -> None:
    text = (recorded.folder / TRACE).read_text()
    recorded.write(TRACE, damage(text))  # type: ignore[operator]
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 2
    assert said in answer.err
    assert not answer.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schedule": -1}, "event 6 (thread final, join thread 1): the schedule does not execute it"),
        ({"schedule": {"event": "x"}}, "schedule[0].event: expected int, got str"),
        ({"events": {"committed": "x"}}, "events[0].committed: expected int | null, got str"),
        ({"events": {"executed": None}}, "events[0].executed: expected int, got null"),
        (
            {"events": {"kind": "lode"}},
            "event 0 (thread 0, x = 1): there is no kind of event 'lode'; there are load, store, rmw, ",
        ),
        (
            {"program": {"arguments": {"n": "<function f>"}}},
            "parameter 'n' was <function f>, which is no Python literal",
        ),
        ({"program": {"file": ""}}, "it names no program; --program says on which to play it"),
    ],
    ids=["schedule", "step", "committed", "executed", "kind", "argument", "program"],
)
def test_traces_with_one_field_wrong(recorded: Desk, change: dict[str, Any], said: str) -> None:
    """Above all, a schedule without its last step must not pass for a failure that is gone."""
    document = json.loads((recorded.folder / TRACE).read_text())
    for field, part in change.items():
        if part == -1:
            document[field].pop()
        else:
            (document[field] if isinstance(document[field], dict) else document[field][0]).update(part)
    recorded.write(TRACE, json.dumps(document))
    answer = recorded.mcr("replay", TRACE)
    assert answer.status == 2
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert not answer.out


def test_a_trace_that_is_nested_too_deeply(recorded: Desk) -> None:
    recorded.write(TRACE, "[" * 100_000)
    assert recorded.mcr("replay", TRACE).err == f"error: {TRACE}:1: nested too deeply\n"


def test_no_such_trace(desk: Desk) -> None:
    answer = desk.mcr("replay", "nowhere.json")
    assert answer.status == 2
    assert answer.err == "error: nowhere.json: No such file or directory\n"


def test_a_longer_run_than_the_usual_bound(desk: Desk) -> None:
    desk.write(
        "long.py",
        """
        import mcr

        @mcr.program
        def long(p):
            x = p.var("x", 0)

            def thread():
                for i in range(450):
                    x.store(i)
                assert not x.load()

            p.thread(thread)
        """,
    )
    assert desk.mcr("check", "long.py", "--model", "sc", "--max-operations", "500").status == 1
    assert desk.mcr("replay", ".mcr/long-sc.json").status == 1


def test_document_for_machines(recorded: Desk) -> None:
    answer = recorded.mcr("replay", TRACE, "--json")
    assert answer.status == 1
    assert answer.document["schema"] == "mcr-replay/1"
    assert answer.document["conclusion"] == "The failure occurs again."
    assert answer.document["failure"] == json.loads(answer.out)["failure"]
    assert answer.document["program_changed"] is False
