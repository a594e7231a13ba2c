"""Programs that run for ever have verdicts: for any number of rounds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from replay.world.memory_models import MODELS
from tests.spinning.campaign import search
from tests.stateful.locks_for_ever import FAILS_UNDER, PROGRAMS


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_used_for_ever(name: str, model: str) -> None:
    result = mcr.check(PROGRAMS[name], model, algorithm="stateful")
    fails = model in FAILS_UNDER[name].split()
    assert (result.verdict, result.stop) == ((Verdict.BUG if fails else Verdict.VERIFIED), None)
    for trace in result.failures:
        assert mcr.replay(PROGRAMS[name], trace).failure == trace.failure


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_orders_of_steps_show_the_same(name: str) -> None:
    """With and without reduction: verdicts, and local states."""
    options = Options(keep_going=True, buffer=3)
    whole, reduced = (
        mcr.check(PROGRAMS[name], "tso", algorithm="stateful", options=replace(options, reduce=reduce))
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


def test_a_failure_comes_with_the_fewest_steps() -> None:
    """Under PSO Peterson's flag is overtaken; nobody needs more than these steps for that."""
    (trace,) = mcr.check(PROGRAMS["peterson"], "pso", algorithm="stateful").failures
    assert len(trace.steps) == 15
    threads = [trace.events[step.event].thread for step in trace.steps if not step.commit]
    assert sum(one != two for one, two in pairwise(threads)) == 2


def test_what_is_constant_until_somebody_writes_is_explored_again() -> None:
    """A thread that ends at once did so before, too: the final function does not begin for it."""
    found = search(range(5100, 5101), 1500, endless=True)
    assert not found.differences, "\n".join(found.differences)
