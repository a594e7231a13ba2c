"""Ctrl-C and kill -9, of those who work and of the one they work for: nothing that was finished is lost."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import mcr
import mcr.cli.check_task
from examples import reference
from mcr.cli.check_task import CheckQuestion, Exploration, check_task
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from mcr.jobs.executor import Executor
from mcr.jobs.task import Task, Tell
from replay.frontend.program import Program
from tests.desk import Desk
from tests.jobs.models import ENDLESS, THREE


def test_who_dies_makes_its_own_program_incomplete(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    check = mcr.cli.check_task.check

    def die_of_one(program: Program, *given: Any, **options: Any) -> Result:
        if program.name == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return check(program, *given, **options)

    monkeypatch.setattr("mcr.cli.check_task.check", die_of_one)
    desk.write("three.py", THREE)
    answer = desk.mcr("check", "three.py", "--model", "sc", "--jobs", "2", "--json")
    found = {each["program"]["name"]: each for each in answer.document["results"]}
    assert [*found] == ["before", "killed", "after"]
    assert answer.status == 3
    assert found["before"]["verdict"] == found["after"]["verdict"] == "verified"
    assert found["killed"]["verdict"] == "incomplete"
    assert found["killed"]["stop"]["reason"] == "its process was killed (SIGKILL)"


def test_what_it_had_told_is_known() -> None:
    """The process of the second item is killed, after it has told something."""
    heard: list[tuple[int, object]] = []

    def do(item: int, tell: Tell) -> str:
        tell.news("found")
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    def died(item: int, how: str) -> str:
        return f"{item} {how}, {heard.count((item, 'found'))} found"

    task = Task(do, died, lambda item, news: heard.append((item, news)))
    with Executor(2).start(task, range(4)) as running:
        taken = [running.take() for _ in range(4)]
    assert taken == ["done", "1 its process was killed (SIGKILL), 1 found", "done", "done"]


def test_a_bug_that_it_had_found_is_one() -> None:
    program = reference.sb(n=2)
    failures = mcr.check(program, "tso").failures
    task = check_task(CheckQuestion("states", "auto", Options()), lambda program, trace: None, lambda title, size: None)
    item = Exploration(program, "tso")
    assert task.died(item, "killed").result.verdict is Verdict.INCOMPLETE
    task.hear(item, failures[0])
    dead = task.died(item, "killed").result
    assert dead.verdict is Verdict.BUG
    assert dead.failures == failures
    assert not dead.complete


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _wait_for(condition: object, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


def _busy(process: int) -> float:
    """Seconds of the processor that it took."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_interrupted(desk: Desk) -> None:
    """What was finished is told, and what the others found until then; they are gone."""
    desk.write("endless.py", ENDLESS)
    process = desk.start("check", "endless.py", "--objective", "states", "--model", "sc", "--jobs", "2")
    _wait_for(lambda: len(_children(process.pid)) == 2)
    workers = _children(process.pid)
    _wait_for(lambda: all(_busy(worker) > 1 for worker in workers))  # they take a while to begin
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    lines = [line.split() for line in out.splitlines()]
    assert [line[:3] for line in lines[1:] if line and line[0] in ("short", "endless", "endless_too")] == [
        ["short", "SC", "verified"],
        ["endless", "SC", "incomplete"],
        ["endless_too", "SC", "incomplete"],
    ]
    assert out.count("    interrupted; ") == 2
    assert all(map(_is_gone, workers))


def test_a_worker_is_killed_from_outside(desk: Desk) -> None:
    desk.write("endless.py", ENDLESS)
    process = desk.start(
        "check", "endless.py", "--objective", "states", "--model", "sc", "--jobs", "2", "--timeout", "4"
    )
    _wait_for(lambda: len(_children(process.pid)) == 2)
    _wait_for(lambda: all(_busy(worker) > 0.2 for worker in _children(process.pid)))
    os.kill(_children(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert out.count("    its process was killed (SIGKILL); ") == 1
    assert out.count("    the time limit of 4 s was reached; ") == 1


def test_workers_die_with_the_one_they_work_for(desk: Desk) -> None:
    desk.write("endless.py", ENDLESS)
    process = desk.start("check", "endless.py", "--objective", "states", "--model", "sc", "--jobs", "2")
    _wait_for(lambda: len(_children(process.pid)) == 2)
    workers = _children(process.pid)
    process.kill()
    process.communicate()
    _wait_for(lambda: all(map(_is_gone, workers)))
