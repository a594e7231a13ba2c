"""Clocks of ordinary classes: instants that never go back, and are free otherwise."""

from __future__ import annotations

import datetime
import time

import pytest

import mcr
from replay.frontend.ordinary.clock import FIRST
from tests.ordinary.timed import Box, Cache, Instants, Limiter, Sleeper


def outcomes(program, **options):
    result = mcr.check(program, "sc", objective="outcomes,failures", options=mcr.Options(**options))
    assert result.verdict == "verified"
    return result.outcomes


@mcr.program
def limited(p):
    limiter = p.share(Limiter())
    threads = [p.thread(limiter.allow), p.thread(limiter.allow)]
    p.final(lambda: [thread.join() for thread in threads])


@mcr.program
def cached(p):
    cache = p.share(Cache())
    p.thread(cache.put, "a", 10)
    p.thread(cache.put, "b", 10)
    alive = p.thread(cache.alive)
    p.final(lambda: alive.join())


@mcr.program
def boxed(p):
    box = p.share(Box())
    p.thread(box.put)
    got = p.thread(box.get, 5)
    p.final(lambda: got.join())


def alone(method):
    @mcr.program
    def program(p):
        sleeper = p.share(Sleeper())
        p.thread(getattr(sleeper, method))

    return program


@pytest.mark.parametrize("merge", [True, False])
def test_a_deadline_is_over_or_not(merge):
    assert outcomes(limited, merge=merge) == ("[False, True]", "[True, False]", "[True, True]")


def test_of_two_deadlines_each_may_be_over():
    assert outcomes(cached) == ("''", "'a'", "'ab'", "'b'")


def test_a_deadline_loop_ends():
    assert outcomes(boxed) == ("'item'", "'too late'")


@pytest.mark.parametrize("method", ["sleep", "wait", "seconds", "dates", "zones", "texts"])
def test_who_sleeps_or_waits_in_vain_has_spent_the_time(method):
    outcomes(alone(method))


def test_a_loop_until_a_deadline_has_few_states():
    @mcr.program
    def program(p):
        box = p.share(Box())
        p.thread(box.look_until, 5)
        p.thread(box.put)

    result = mcr.check(program, "sc")
    assert (result.verdict, result.not_compared) == ("verified", ())
    assert result.assumed == ("between two looks at a clock no time passes but what a thread has slept, or 12 days",)


def test_a_clock_does_not_go_back_from_one_thread_to_the_next():
    @mcr.program
    def program(p):
        instants = p.share(Instants())
        p.thread(instants.note)
        p.thread(instants.note)

    outcomes(program)


def test_a_report_names_it():
    @mcr.program
    def program(p):
        limiter = p.share(Limiter())
        p.thread(limiter.allow)

        @p.final
        def refused():
            assert limiter.last == FIRST

    (trace,) = mcr.check(program, "sc").failures
    assert [event.operation for event in trace.events[:2]] == ["seconds pass", "the clock.advance(1048576.0)"]
    assert mcr.replay(program, trace).failure == trace.failure


def test_outside_of_models_clocks_go_on():
    assert time.time() < FIRST
    assert datetime.datetime.now().year == time.localtime().tm_year < 2038
