"""`mcr replay --pdb`: Python's debugger in thread code, in the order of the schedule."""

from __future__ import annotations

import io
import re
import sys
from bdb import Breakpoint
from collections.abc import Iterator

import pytest

from tests.desk import Answer, Desk

PROGRAM = """
import mcr

@mcr.program
def sb(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        got = other.load()
        return got

    threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

    @p.final
    def final():
        assert any(thread.join() for thread in threads)
"""


@pytest.fixture(autouse=True)
def no_breakpoints() -> Iterator[None]:
    """Python's debugger keeps breakpoints for as long as the process lives."""
    yield
    Breakpoint.clearBreakpoints()


def debugged(desk: Desk, monkeypatch: pytest.MonkeyPatch, place: str, *commands: str) -> Answer:
    desk.write("sb.py", PROGRAM)
    desk.mcr("check", "sb.py", "--model", "tso")
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\n" for command in commands)))
    return desk.mcr("replay", "--pdb", f".mcr/sb-tso.json{place}")


def test_it_stops_before_a_row_and_shows_what_is_shared(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = debugged(desk, monkeypatch, ":2", "p mine.name, other.name", "memory", "buffers", "schedule", "continue")
    assert "row 2, next: thread 0: load y -> 0\n" in answer.out
    assert "sb.py(9)thread()\n-> got = other.load()\n" in answer.out
    assert "('x', 'y')\n" in answer.out
    assert "x = 0\ny = 0\n" in answer.out
    assert "thread 0: x = 1\nthread 1: empty\n" in answer.out
    assert "->   2 thread 0: load y -> 0\n" in answer.out
    assert "The failure occurs again." in answer.out
    assert answer.status == 1


def test_it_goes_on_thread_by_thread_as_the_schedule_does(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = debugged(desk, monkeypatch, ":2", "step", "p got", "step", "step", "p mine.name", "continue")
    assert "-> return got\n(mcr) 0\n" in answer.out
    assert answer.out.index("-> return got") < answer.out.index("-> got = other.load()\n(mcr) 'y'\n")


def test_it_goes_back_by_playing_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = debugged(desk, monkeypatch, ":4", "buffers", "back", "back 1", "break 10", "continue", "p got", "continue")
    assert re.findall(r"row (\d+), next:", answer.out) == ["4", "3", "1"]
    assert "Breakpoint 1 at " in answer.out
    assert "-> return got\n(mcr) 0\n" in answer.out


def test_it_can_be_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = debugged(desk, monkeypatch, "", "quit")
    assert "row 1, next: thread 0: x = 1" in answer.out
    assert answer.status == 1
    assert "there is no row 90: the report has 7" in debugged(desk, monkeypatch, ":90").err


def test_shared_state_is_no_value_at_the_prompt(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = debugged(desk, monkeypatch, ":2", "step", "p mine.load()", "continue")
    assert "shared state is used" in answer.out
    assert "The failure occurs again." in answer.out


def test_breakpoints_in_the_code_stop_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.cli.test_debugging.PROGRAM", PROGRAM.replace("mine.store(1)", "mine.store(1); breakpoint()")
    )
    answer = debugged(desk, monkeypatch, "", "continue", "p mine.name", "continue", "p mine.name", "continue")
    assert "(mcr) 'x'\n" in answer.out
    assert "(mcr) 'y'\n" in answer.out


CALLS = """
import mcr


def total(cell, times):
    found = 0
    for _ in range(times):
        found += cell.load()
    return found


@mcr.program
def calls(p):
    x = p.var("x", 0)

    def thread():
        pass
        x.store(total(x, 2) + 1)
        try:
            raise ValueError("no")
        except ValueError:
            breakpoint()
            seen = x.load()
        double = lambda: 2 * seen
        assert double() == 3

    p.thread(thread)
"""


def calls_debugged(desk: Desk, monkeypatch: pytest.MonkeyPatch, *commands: str, text: str = CALLS) -> list[str]:
    """The lines at which the debugger stops, and what it says at its prompt."""
    desk.write("calls.py", text)
    desk.mcr("check", "calls.py", "--model", "sc")
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\n" for command in commands)))
    answer = desk.mcr("replay", "--pdb", ".mcr/calls-sc.json:1")
    assert "The failure occurs again." in answer.out
    lines = answer.out.split("calls fails")[0].replace("(mcr) ", "").splitlines()
    return [re.sub(r"(> )?/.*calls\.py", "", line) for line in lines if not line.startswith("-> ")][1:]


def test_it_steps_through_calls_returns_and_exceptions(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert calls_debugged(desk, monkeypatch, *["step"] * 30) == [
        "(7)total()", "(6)total()", "(7)total()", "(6)total()", "(8)total()", "--Return--", "(8)total()->0",
        "(18)thread()", "(19)thread()", "ValueError: no", "(19)thread()", "(20)thread()", "(21)thread()",
        "(22)thread()", "(23)thread()", "(24)thread()", "--Call--", "(23)<lambda>()", "(23)<lambda>()",
        "--Return--", "(23)<lambda>()->2", "AssertionError", "(24)thread()", "--Return--", "(24)thread()->None",
    ]  # fmt: skip


def test_breakpoint_stops_at_the_next_line(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert calls_debugged(desk, monkeypatch, "continue", "continue") == ["(7)total()", "(22)thread()"]
    by_pdb = CALLS.replace("breakpoint()", "pdb.set_trace()").replace("import mcr", "import mcr, pdb")
    assert calls_debugged(desk, monkeypatch, "continue", "continue", text=by_pdb)[-2:] == ["(7)total()", "(22)thread()"]


def test_variables_are_looked_at_and_set_in_each_frame(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert calls_debugged(
        desk, monkeypatch, "p list(locals())", "args", "!times = 5", "up", "where", "p x.name", "down",
        "p found, times", "break calls.py:8", "continue", "p found", "clear 1", "return", "retval", "jump 6",
        "continue",
    ) == [
        "(7)total()", "['cell', 'times', 'found', '_']", "cell = x", "times = 2", "(17)thread()",
        "(17)thread()", "  (7)total()", "'x'", "(7)total()", "(0, 5)", "Breakpoint 1 at :8",
        "(8)total()", "0", "Deleted breakpoint 1 at :8", "--Return--", "(8)total()->0", "0",
        "*** Jump failed: the code of a thread goes on where it stands", "(22)thread()", "",
    ]  # fmt: skip
