"""Random schedules: what they find, and that what they say of what they miss holds."""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from mcr.explorers.sample.pct import missed_at_most
from tests.desk import Desk


def sampled(program: mcr.Program, model: str, runs: int, **options: object) -> mcr.Result:
    return mcr.check(program, model, options=mcr.Options(sample=runs, **options))  # type: ignore[arg-type]


def test_it_finds_bugs_and_never_verifies() -> None:
    found = sampled(reference.dekker(), "tso", 100)
    assert found.verdict == "bug"
    assert found.stop is None
    assert mcr.replay(reference.dekker(), found.failures[0]).failure == found.failures[0].failure
    none = sampled(reference.dekker(), "sc", 50)
    assert none.verdict == "incomplete"
    assert none.stop is not None
    assert none.stop.reason == "50 schedules sampled at random (--sampler mix)"
    assert "a bug was missed with a probability of at most " in none.stop.remedy
    assert none.statistics.executions == 50


def test_the_same_schedules_each_time() -> None:
    one, two = (sampled(reference.dekker(), "pso", 50) for _ in range(2))
    assert one.failures == two.failures
    assert one.statistics.executions == two.statistics.executions


def test_limits_end_it_and_the_bound_is_still_told() -> None:
    result = sampled(reference.dekker(), "sc", 1000, max_executions=20)
    assert result.stop is not None
    assert result.stop.reason == "the limit of 20 executions was reached"
    assert result.stop.remedy.startswith("of 20 schedules sampled at random (--sampler mix): a bug was missed with")


@mcr.program
def ordered(p: mcr.Declarations) -> None:
    """Fails if the second thread comes between two steps of the first one: a bug of depth 2."""
    x, y = p.var("x", 0), p.var("y", 0)

    def first() -> None:
        x.store(1)
        y.store(1)

    def second() -> None:
        assert (x.load(), y.load()) != (1, 0)

    p.thread(first)
    p.thread(second)


def test_the_bound_holds() -> None:
    """How soon a bug of depth 2 is found, over many beginnings, beside what theorem 2 promises for as many runs."""
    assert missed_at_most(4, 10, 1, 1) == 0.75
    assert missed_at_most(4, 10, 2, 10) == pytest.approx((39 / 40) ** 10)
    assert sampled(ordered(), "sc", 100).verdict == "bug"


def test_waits_and_spins_end_as_they_do_elsewhere() -> None:
    @mcr.program
    def waits(p: mcr.Declarations) -> None:
        flag, seen = p.var("flag", 0), p.var("seen", 0)

        def waiter() -> None:
            while flag.load() == 0:
                pass
            p.wait_until(lambda: seen.load() == 1)

        p.thread(waiter)

        @p.thread
        def setter() -> None:
            seen.store(1)
            flag.store(p.choose(1, 2))

    result = sampled(waits, "tso", 60)
    assert result.verdict == "incomplete"
    assert result.statistics.blocked == 0
    assert result.stop is not None
    assert "if the inputs that were drawn are those that matter" in result.stop.remedy


def test_it_looks_for_failures_only(desk: Desk) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr("check", "peterson.py::peterson", "--sample", "20", "--algorithm", "trust")
    assert answer.status == 2
    assert "--sample looks for failures and deadlocks by itself: no algorithm, no objective" in answer.err
    answer = desk.mcr("check", "peterson.py::peterson", "--sample", "20", "--model", "tso", "--json")
    assert answer.status == 1
