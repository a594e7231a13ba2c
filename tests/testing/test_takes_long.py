"""The early word on a test that takes long, and the figures in it."""

from __future__ import annotations

import threading

import pytest

import mcr
import mcr.exploration.session
from mcr.exploration.growth import Size, ThreadSize, size_of
from mcr.report.remarks import takes_long
from tests.testing.project import Project

AT_ONCE = """
import os
import mcr.exploration.session

if "PYTEST_XDIST_WORKER" in os.environ:
    mcr.exploration.session.LONG = 0.0
"""
"""What a conftest.py says so that everything takes long in a worker."""


@mcr.program
def two_sizes(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def many():
        for i in range(4):
            x.store(i)
        y.load()

    p.thread(many)
    p.thread(lambda: y.store(1))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcr.exploration.session, "LONG", 0.0)


def said(**options) -> list[Size]:
    sizes: list[Size] = []
    mcr.check(two_sizes, on_long=sizes.append, **options)
    return sizes


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("algorithm", ["auto", "trust", "rf-smc", "bmc", "exhaustive"])
def test_it_is_told_once_and_what_each_thread_does(algorithm: str) -> None:
    sizes = said(algorithm=algorithm, objective="failures")
    assert len(sizes) == 1
    assert len(sizes[0].threads) == 2


def test_figures_are_those_of_the_longest_way() -> None:
    session = mcr.api.open_session(two_sizes, mcr.api.memory_model("sc"))
    session.explore()
    size = size_of(session.context.statistics, session.unfolding)
    assert size.threads[0] == ThreadSize("thread 0 (many())", 5, "x", 4)
    assert size.threads[1].operations == 1


def test_a_short_exploration_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcr.exploration.session, "LONG", 600.0)
    assert said() == []


def test_only_the_thread_that_explores_tells() -> None:
    sizes: list[Size] = []
    session = mcr.api.open_session(two_sizes, mcr.api.memory_model("sc"), on_long=sizes.append)
    session.context.limits.call_after(0.0, lambda: sizes.append(Size(session.context.statistics, ())))
    other = threading.Thread(target=session.context.limits.check)
    other.start()
    other.join()
    assert not sizes
    session.context.limits._next_look = 0.0
    session.context.limits.check()
    session.context.limits.check()
    assert len(sizes) == 1


def test_the_largest_threads_are_named() -> None:
    threads = tuple(ThreadSize(f"thread {number}", number, "lock", number // 2) for number in range(1, 7))
    figures = mcr.exploration.session.Statistics(executions=1, local_states=20, seconds=10.2)
    assert takes_long("ring[sc]", Size(figures, threads), "--timeout") == (
        "ring[sc] has taken 10 s so far (1 execution, 20 local states) and may take minutes: "
        "no estimate of what is left. "
        "What there is to explore grows with each thread and each operation: "
        "thread 6 does up to 6 operations, 3 of them on lock; thread 5 does up to 5 operations, 2 of them on lock; "
        "thread 4 does up to 4 operations, 2 of them on lock; 3 more. "
        "Fewer threads, or fewer calls in each, make it quicker; --timeout ends it."
    )


@pytest.mark.usefixtures("at_once")
def test_pytest_says_it_on_the_terminal(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc')")
    result = project.pytest()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["sb[[]sc] has taken * s so far (*", "*--mcr-timeout ends it.", "*1 passed*"])


def test_workers_say_it_among_the_warnings(project: Project) -> None:
    project.write("conftest.py", AT_ONCE)
    project.store_buffering("@mcr.test(models='sc')")
    result = project.pytest("-n", "1")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*PytestWarning: sb[[]sc] has taken * s so far (*"])
