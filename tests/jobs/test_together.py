"""One exploration by several processes is that of one: the same verdict, counts, failures, and what else is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from examples import peterson, reference
from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.exploration.questions import in_processes
from mcr.exploration.twins import Twin
from mcr.exploration.verdict import Verdict
from mcr.explorers.trust import ahead, together
from mcr.explorers.trust.together import ExploreTogether
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.desk import ROOT, Desk
from tests.jobs.campaign import one
from tests.jobs.together import differs, divided_at_once, shared_at_once

PROGRAMS = {
    "exp_mem": reference.exp_mem(n=4),
    "fib": reference.fib(n=2),
    "lastzero": reference.lastzero(n=4),
    "sb": reference.sb(n=3),
    "peterson": peterson.peterson,
}


@pytest.fixture
def at_once() -> Iterator[None]:
    with shared_at_once():
        yield


@pytest.fixture
def scouts(monkeypatch: pytest.MonkeyPatch) -> list[Twin]:
    """The processes that went ahead."""
    made = []
    make = ahead.Ahead.__init__

    def spy(self: ahead.Ahead, *given: Any) -> None:
        make(self, *given)
        made.append(self._twin)

    monkeypatch.setattr(ahead.Ahead, "__init__", spy)
    return made


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("algorithm", "jobs"), [("trust", 3), ("trust-rf", 2), ("auto", 2)])
def test_it_tells_what_one_process_tells(name: str, algorithm: str, jobs: int) -> None:
    keep_going = algorithm == "trust"
    assert not differs(PROGRAMS[name], "tso", algorithm, "outcomes", jobs, keep_going=keep_going)


@pytest.mark.parametrize("objective", ["outcomes", "traces"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_where_graphs_are_full_of_news_one_goes_ahead(name: str, objective: str, scouts: list[Twin]) -> None:
    with shared_at_once(ahead=True):
        assert not differs(PROGRAMS[name], "pso", "trust", objective, 2, keep_going=True)
    assert not any(scout.process.is_alive() for scout in scouts)
    assert scouts


@pytest.mark.parametrize("seed", range(1, 55))
def test_random_programs(seed: int) -> None:
    assert not one(seed)


def _session(program: Program, algorithm: str = "trust", **options: Any) -> Any:
    return open_session(program, MODELS["tso"], algorithm=algorithm, options=Options(jobs=2, **options))


@pytest.mark.usefixtures("at_once")
def test_work_travels() -> None:
    session = _session(reference.exp_mem(n=5))
    session.explore()
    assert isinstance(session.explorer, ExploreTogether)
    assert session.explorer.messages


def test_small_programs_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "Crew", None)
    assert _session(reference.exp_mem(n=4)).explore().verdict is Verdict.VERIFIED


@pytest.mark.usefixtures("at_once")
def test_limits_hold_for_all() -> None:
    result = _session(reference.exp_mem(n=7), timeout=0.5).explore()
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason == "the time limit of 0.5 s was reached"
    assert result.statistics.seconds < 60
    assert _session(reference.fib(n=3), max_executions=30).explore().statistics.executions == 30


@pytest.mark.usefixtures("at_once")
def test_a_helper_that_dies_makes_it_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.explorers.trust.helper.Visitor.give", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    result = _session(reference.exp_mem(n=5)).explore()
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason == "its process was killed (SIGKILL)"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("program", [reference.fib(n=3), peterson.peterson], ids=str)
def test_one_goes_ahead_of_auto_and_ends_with_it(program: Program, scouts: list[Twin]) -> None:
    _session(program, "auto").explore()
    assert [scout.process.is_alive() for scout in scouts] == [False]


@pytest.mark.usefixtures("at_once")
def test_if_it_dies_auto_is_incomplete(scouts: list[Twin], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.explorers.trust.scout.Scout._visit", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    result = _session(reference.fib(n=3), "auto").explore()
    assert scouts
    assert result.stop is not None
    assert result.stop.reason == "its process was killed (SIGKILL)"


@pytest.mark.parametrize("name", ["exp_mem", "peterson"])
def test_a_hard_question_is_divided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []

    def spy(*given: Any) -> bool:
        answers.append(in_processes(*given))
        return answers[-1]

    monkeypatch.setattr("mcr.exploration.questions.in_processes", spy)
    with divided_at_once():
        assert not differs(PROGRAMS[name], "sc", "cover", "states", 2, keep_going=False)
    assert answers.count(False) == 1
    assert answers.count(True) > 1


def test_a_small_program_loads_nothing_for_processes() -> None:
    code = (
        "import sys, mcr; from examples import reference; from mcr.exploration.options import Options;"
        "print(mcr.check(reference.sb(n=3, check=False), 'tso', options=Options(jobs=2)).verdict.value,"
        "'multiprocessing' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "verified False\n"


def _dies() -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return False


def test_who_dies_denies_nothing() -> None:
    assert not in_processes(2, lambda: None, [lambda: False] * 3)
    assert in_processes(2, lambda: None, [lambda: False, lambda: True, lambda: False])
    assert in_processes(2, lambda: None, [lambda: False, _dies])


@pytest.mark.usefixtures("at_once")
def test_the_only_exploration_of_a_command_is_shared(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    sharing = together.Crew

    def spy(*given: Any) -> Any:
        made.append(given)
        return sharing(*given)

    monkeypatch.setattr(together, "Crew", spy)
    desk.copy("reference.py")
    command = ("check", "reference.py::exp_mem", "--set", "n=4", "--model", "tso", "--algorithm", "trust", "--jobs")
    alone, shared = (desk.mcr(*command, jobs) for jobs in "12")
    assert len(made) == 1
    assert shared.out.rsplit("  ", 1)[0] == alone.out.rsplit("  ", 1)[0]
    assert replace(shared, out="") == replace(alone, out="")
