"""Samplers one by one, held against all interleavings of small programs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

import mcr
from mcr.api import open_session
from mcr.executions.class_keys import class_keys
from mcr.exploration.contract import Run
from mcr.exploration.observers import trace_of
from mcr.explorers.sample.samplers import SAMPLERS
from replay.errors import CheckerError
from replay.machine.machine import Choice, Machine
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import memory_model
from tests.desk import ROOT, Desk


@mcr.program
def stores(p: mcr.Declarations) -> None:
    """Ten interleavings, of which threads drawn evenly favour those that end the short thread early."""
    x, y = p.var("x", 0), p.var("y", 0)

    @p.thread
    def long() -> None:
        for value in (1, 2, 3):
            x.store(value)

    @p.thread
    def short() -> None:
        for value in (4, 5):
            y.store(value)


@mcr.program
def spawns(p: mcr.Declarations) -> None:
    """The orders of the steps of three threads, one of which comes to be when the first has done a step."""
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

    def child() -> None:
        z.store(1)
        z.store(2)

    @p.thread
    def parent() -> None:
        x.store(1)
        p.spawn(child)
        x.store(2)

    @p.thread
    def other() -> None:
        y.store(1)


@mcr.program
def triangle(p: mcr.Declarations) -> None:
    """Two racy cells between three threads."""
    x, y = p.var("x", 0), p.var("y", 0)

    @p.thread
    def first() -> None:
        x.store(1)
        y.store(1)

    @p.thread
    def second() -> None:
        y.store(2)
        x.load()

    @p.thread
    def third() -> None:
        x.store(3)


@mcr.program
def counter(p: mcr.Declarations) -> None:
    """Accesses of one cell between many others."""
    x, y = p.var("x", 0), p.var("y", 0)

    def work(private: mcr.Var[int]) -> Callable[[], None]:
        def run() -> None:
            for value in range(4):
                private.store(value)
            x.store(x.load() + 1)

        return run

    p.thread(work(p.var("a", 0)))
    p.thread(work(p.var("b", 0)))

    @p.thread
    def lone() -> None:
        y.store(1)


def schedules(program: mcr.Program, model: str, sampler: str, runs: int) -> list[tuple[Choice, ...]]:
    """The schedules that are run."""
    found: list[tuple[Choice, ...]] = []
    options = mcr.Options(sample=runs, sampler=sampler, keep_going=True, shorten=False)

    def see(run: Run) -> None:
        found.append(tuple(run.choices))

    open_session(program, memory_model(model), options=options, observers=[see]).explore()
    return found


def interleavings(program: mcr.Program, model: str = "sc") -> list[tuple[Choice, ...]]:
    """All schedules of a program, by trying every choice everywhere."""
    found: list[tuple[Choice, ...]] = []

    def explore(machine: Machine, before: tuple[Choice, ...]) -> None:
        choices = machine.choices()
        if not choices:
            found.append(before)
        for choice in choices:
            after = machine.copy()
            after.apply(choice)
            explore(after, (*before, choice))

    explore(Machine(Unfolding(program), memory_model(model)), ())
    return found


def named(program: mcr.Program, found: list[tuple[Choice, ...]]) -> Counter[tuple[int, ...]]:
    """How often each order of threads was run: thread numbers are the same in all unfoldings of these programs."""
    return Counter(tuple(choice.thread for choice in choices) for choices in found)


def chi_square(counted: Counter[tuple[int, ...]], kinds: int) -> float:
    expected = counted.total() / kinds
    return sum((count - expected) ** 2 for count in counted.values()) / expected + (kinds - len(counted)) * expected


@pytest.mark.parametrize("program", [stores, spawns], ids=["declared", "spawned"])
def test_uniform_walk_gives_each_interleaving_the_same_probability(program: mcr.Program) -> None:
    """The value that chi-square exceeds with a probability of 0.001 is below k + 3.1 sqrt(2k) + 6 for these k."""
    every = named(program, interleavings(program))
    runs = 60 * len(every)
    counted = named(program, schedules(program, "sc", "urw", runs + 1)[1:])
    assert set(counted) == set(every)
    free = len(every) - 1
    likely = free + 3.1 * (2 * free) ** 0.5 + 6
    assert chi_square(counted, len(every)) < likely
    assert chi_square(named(program, schedules(program, "sc", "walk", runs)), len(every)) > 2 * likely


def test_selective_walk_is_uniform_over_the_accesses_of_one_location() -> None:
    """Two threads load and store `x`: six orders, of which all are as likely, whatever else the threads do."""
    orders: Counter[tuple[int, ...]] = Counter()
    for choices in schedules(counter(), "sc", "surw", 601)[1:]:
        done: Counter[int] = Counter()
        order = []
        for choice in choices:
            done[choice.thread] += 1
            if choice.thread < 2 and done[choice.thread] > 4:
                order.append(choice.thread)
        orders[tuple(order)] += 1
    assert len(orders) == 6
    assert chi_square(orders, 6) < 20.5


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("sampler", [each for each in SAMPLERS if each != "pct"])
def test_every_partial_order_is_run(sampler: str, model: str) -> None:
    """Classes by po, rf and co of what is sampled, beside those that `trust` counts.

    Runs of `pct` have too few changes of priorities to lead everywhere.
    """
    every = mcr.check(triangle(), model, objective="traces").shown_classes[0].complete
    found = set()
    options = mcr.Options(sample=400, sampler=sampler)

    def see(run: Run) -> None:
        found.add(class_keys(trace_of(run))["traces"])

    open_session(triangle(), memory_model(model), options=options, observers=[see]).explore()
    assert len(found) == every


@mcr.program
def lost(p: mcr.Declarations) -> None:
    """An update is lost, which a deadlock may hide."""
    x, one, two = p.var("x", 0), p.mutex("one"), p.mutex("two")

    def work() -> None:
        x.store(x.load() + 1)

    p.thread(work)
    p.thread(work)

    @p.thread
    def first() -> None:
        with one, two:
            pass

    @p.thread
    def second() -> None:
        with two, one:
            assert x.load() < 2

    @p.final
    def check() -> None:
        assert x.load() == 2


def test_an_algorithm_that_draws_none_refuses_a_sampler() -> None:
    with pytest.raises(CheckerError, match="algorithm cover draws no random schedules: leave out --sampler"):
        mcr.check(lost, algorithm="cover", options=mcr.Options(sampler="pos"))


@cache
def _every_failure(model: str) -> mcr.Result:
    return mcr.check(lost(), model, algorithm="exhaustive", options=mcr.Options(keep_going=True))


@pytest.mark.parametrize("model", ["sc", "pso"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_what_is_found_is_real(sampler: str, model: str) -> None:
    """Each failure is found by exhaustive search, too, and is there when its schedule is played again."""
    options = mcr.Options(sample=300, sampler=sampler, keep_going=True)
    found = mcr.check(lost(), model, options=options)
    every = _every_failure(model)
    assert found.failures
    assert {trace.failure.identity for trace in found.failures if trace.failure} == {
        trace.failure.identity for trace in every.failures if trace.failure
    }
    for trace in found.failures:
        assert mcr.replay(lost(), trace).failure == trace.failure


_AGAIN = """
from tests.explorers.test_samplers import lost, schedules
import sys
for sampler in sys.argv[1:]:
    print(sampler, schedules(lost(), "pso", sampler, 30))
"""


def test_the_same_schedules_whatever_the_hash_seed() -> None:
    one, other = (
        subprocess.run(
            [sys.executable, "-c", _AGAIN, *SAMPLERS],
            env={"PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    )
    assert [line.split()[0] for line in one] == [*SAMPLERS]
    assert one == other


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_only_pct_bounds_what_was_missed(sampler: str) -> None:
    result = mcr.check(stores(), options=mcr.Options(sample=20, sampler=sampler))
    assert result.stop is not None
    assert result.stop.reason == f"20 schedules sampled at random (--sampler {sampler})"
    assert ("missed with a probability of at most" in result.stop.remedy) == (sampler in ("mix", "pct"))


def test_samplers_that_do_not_exist(desk: Desk) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr("check", "peterson.py::peterson", "--sample", "20", "--sampler", "poss")
    assert answer.status == 2
    assert "there is no sampler 'poss'" in answer.err
    assert "did you mean 'pos'?" in answer.err
    answer = desk.mcr("check", "peterson.py::peterson", "--sample", "20", "--sampler", "pos", "--model", "tso")
    assert answer.status == 1
