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
from mcr.exploration.verdict import Verdict
from mcr.explorers.trust import parallel
from mcr.explorers.trust.parallel import Visitor
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.desk import ROOT, Desk
from tests.jobs.campaign import one
from tests.jobs.together import differs, shared_at_once

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


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("algorithm", "jobs"), [("trust", 3), ("trust", 2)])
def test_it_tells_what_one_process_tells(name: str, algorithm: str, jobs: int) -> None:
    keep_going = algorithm == "trust"
    assert not differs(PROGRAMS[name], "tso", algorithm, "outcomes", jobs, keep_going=keep_going)


@pytest.mark.parametrize("seed", range(1, amount(28, 55)))
def test_random_programs(seed: int) -> None:
    assert not one(seed)


def _session(program: Program, algorithm: str = "trust", **options: Any) -> Any:
    return open_session(program, MODELS["tso"], algorithm=algorithm, options=Options(jobs=2, **options))


@pytest.mark.usefixtures("at_once")
def test_work_is_divided_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few subtrees many are made, none of which is a large part of all graphs."""
    sizes: list[int] = []
    in_order = parallel._Telling.in_order

    def spy(*given: Any) -> Iterator[Any]:
        for told in in_order(*given):
            if isinstance(told, int):
                sizes.append(told)
            yield told

    monkeypatch.setattr(parallel._Telling, "in_order", spy)
    _session(reference.exp_mem(n=6)).explore()
    assert len(sizes) > 2 * parallel.SUBTREES
    assert 1 < max(sizes) < sum(sizes) / 4


def test_small_programs_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "visited_by_several", None)
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
    monkeypatch.setattr(Visitor, "visit", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    result = _session(reference.exp_mem(n=5)).explore()
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason == "one of its processes died"


def test_a_small_program_loads_nothing_for_processes() -> None:
    code = (
        "import sys, mcr; from examples import reference; from mcr.exploration.options import Options;"
        "print(mcr.check(reference.sb(n=3, check=False), 'tso', options=Options(jobs=2)).verdict.value,"
        "'multiprocessing' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "verified False\n"


@pytest.mark.usefixtures("at_once")
def test_the_only_exploration_of_a_command_is_shared(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    sharing = parallel.visited_by_several

    def spy(*given: Any) -> Any:
        made.append(given)
        return sharing(*given)

    monkeypatch.setattr(parallel, "visited_by_several", spy)
    desk.copy("reference.py")
    command = ("check", "reference.py::exp_mem", "--set", "n=4", "--model", "tso", "--algorithm", "trust", "--jobs")
    alone, shared = (desk.mcr(*command, jobs) for jobs in "12")
    assert len(made) == 1
    assert shared.out.rsplit("  ", 1)[0] == alone.out.rsplit("  ", 1)[0]
    assert replace(shared, out="") == replace(alone, out="")
