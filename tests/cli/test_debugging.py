"""`mcr replay --pdb`: Python's debugger in thread code, in the order of the schedule."""

from __future__ import annotations

import io
import re
import sys

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
