"""Programs that run for ever have verdicts: for any number of rounds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from results.bench.for_ever import FAILS_UNDER, peterson
from tests.amount import amount
from tests.pythonic.compare import checkers_program
from tests.spinning.compare import Findings
from tests.spinning.generator import generate
from tests.stateful.campaign import KINDS, LIMIT, PLAN, PORTION, Portion

each_program = pytest.mark.parametrize("program", FAILS_UNDER, ids=lambda program: program.title)


@pytest.mark.parametrize("model", MODELS)
@each_program
def test_used_for_ever(program: Program, model: str) -> None:
    result = mcr.check(program, model, algorithm="stateful")
    fails = model in FAILS_UNDER[program].split()
    assert (result.verdict, result.stop) == ((Verdict.BUG if fails else Verdict.VERIFIED), None)
    for trace in result.failures:
        assert mcr.replay(program, trace).failure == trace.failure


@each_program
def test_all_orders_of_steps_show_the_same(program: Program) -> None:
    """With and without reduction: verdicts, and local states."""
    options = Options(keep_going=True, buffer=3)
    whole, reduced = (
        mcr.check(program, "tso", algorithm="stateful", options=replace(options, reduce=reduce))
        for reduce in (False, True)
    )
    assert (whole.verdict, whole.statistics.local_states) == (reduced.verdict, reduced.statistics.local_states)
    assert whole.statistics.global_states >= reduced.statistics.global_states


def test_stores_without_end_meet_the_bound_of_buffers() -> None:
    @mcr.program
    def flooding(p):
        x = p.var("x", 0)

        def thread():
            while True:
                x.store(1)
                x.store(2)

        p.thread(thread)

    assert mcr.check(flooding, "sc", algorithm="stateful").verdict is Verdict.VERIFIED
    result = mcr.check(flooding, "tso", algorithm="stateful", options=Options(buffer=5))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert "more than 5 stores" in result.stop.reason


def test_a_long_loop_that_ends_is_not_cut() -> None:
    """The bound on operations is for states that cannot be compared with others."""

    @mcr.program
    def long_loop(p):
        x = p.var("x", 0)

        def thread():
            for _ in range(1000):
                x.load()

        p.thread(thread)

    assert mcr.check(long_loop, algorithm="stateful").verdict is Verdict.VERIFIED


def test_a_thread_that_reads_the_same_for_long_is_followed() -> None:
    """What is played to show a failure is not cut where an exploration of executions would be."""

    @mcr.program
    def patient(p):
        x = p.var("x", 0)

        def reader():
            first = x.load()
            for number in range(500):
                if x.load() != first:
                    assert number < 12
                    return

        p.thread(reader)
        p.thread(lambda: x.store(1))

    result = mcr.check(patient, algorithm="stateful")
    assert (result.verdict, result.stop) == (Verdict.BUG, None)


def test_a_deadlock_that_cannot_be_shown_is_no_verdict() -> None:
    @mcr.program
    def wide(p):
        x = p.var("x", 0)

        def thread():
            found = 0
            while not found:
                for _ in range(150):
                    found += x.load()

        p.thread(thread)

    result = mcr.check(wide, algorithm="stateful")
    assert result.verdict is Verdict.INCOMPLETE
    assert "wait for ever" in str(result.stop)


def test_a_failure_comes_with_the_fewest_steps() -> None:
    """Under PSO Peterson's flag is overtaken; nobody needs more than these steps for that."""
    (trace,) = mcr.check(peterson, "pso", algorithm="stateful").failures
    assert len(trace.steps) == 15
    threads = [trace.events[step.event].thread for step in trace.steps if not step.commit]
    assert sum(one != two for one, two in pairwise(threads)) == 2


def test_the_fewest_steps_of_any_thread_that_fails_like_this() -> None:
    @mcr.program
    def rounds(p):
        x = p.var("x", 0)

        def thread(count):
            for _ in range(count):
                x.load()
            raise AssertionError

        p.thread(thread, 3)
        p.thread(thread, 1)

    (trace,) = mcr.check(rounds, algorithm="stateful").failures
    assert len(trace.steps) == 1


def test_the_fewest_steps_to_a_value_that_has_many_before_it() -> None:
    """What a cell holds is written otherwise when it holds more than it had bits for."""

    @mcr.program
    def counts(p):
        x = p.var("x", 0)

        def thread():
            for number in range(40):
                x.store(number)
            raise AssertionError

        p.thread(thread)

    (trace,) = mcr.check(counts, algorithm="stateful").failures
    assert len(trace.steps) == 40


def test_what_is_constant_until_somebody_writes_is_explored_again() -> None:
    """A thread that ends at once did so before, too: the final function does not begin for it."""
    found = Findings()
    found.compare(checkers_program(generate(5100, endless=True)), "sc", PLAN, LIMIT)
    assert not found.differences, "\n".join(found.differences)


@pytest.mark.parametrize("kind", ["endless", "endless, alike", "loops, alike"])
def test_random_programs(kind: str) -> None:
    """The same as brute force, with and without each reduction; progress, and freedoms."""
    portion = Portion(KINDS.index(kind), amount(4, PORTION))
    assert not portion.disagreement()
    assert portion.counts["explorations"] > 2 * portion.counts["programs"]
