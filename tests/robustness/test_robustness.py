"""The objective "robustness": what brute force finds, on random programs, examples and litmus tests."""

from __future__ import annotations

import pytest

import mcr
from replay.traces.trace import NOT_ROBUST
from replay.world.memory_models import MODELS
from tests import random_search
from tests.amount import amount
from tests.desk import Desk
from tests.random_programs import PROFILES
from tests.robustness.agreement import disagreement

PROGRAMS = amount(3, 60)


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs_agree_with_brute_force(profile: str) -> None:
    random_search.assert_agree(profile, PROGRAMS, 19, lambda program, model: disagreement(program, model, 400, "cover"))


@mcr.program
def forwarded(p: mcr.Declarations) -> None:
    """The only cycle goes through a write that its own thread reads out of its buffer."""
    lock, inside = p.var("lock", 0), p.var("inside", 0)

    def thread(me: int) -> None:
        if lock.compare_exchange(0, 1):
            inside.store(me)
            inside.load()
            lock.store(0)

    p.thread(thread, 1)
    p.thread(thread, 2)


@mcr.program
def reads_old_values(p: mcr.Declarations) -> None:
    """Not robust, and no outcome tells: nobody looks at what was read."""
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine: mcr.Variable, other: mcr.Variable) -> None:
        mine.store(1)
        other.load()

    p.thread(thread, x, y)
    p.thread(thread, y, x)


@pytest.mark.parametrize(
    ("program", "weak"),
    [(forwarded, {"pso"}), (reads_old_values, {"tso", "pso"})],
    ids=["forwarded", "reads_old_values"],
)
def test_where_it_is_robust(program: mcr.Program, weak: set[str]) -> None:
    for name, model in MODELS.items():
        result = mcr.check(program, name, objective="robustness")
        assert (result.verdict is mcr.Verdict.BUG) == (name in weak)
        assert disagreement(program, model, 10_000) == ""


def test_a_violation_is_saved_and_replayed(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::message_passing", "--objective", "robustness", "--model", "pso")
    assert answer.status == 1
    assert "fails under PSO: AssertionError" in answer.out
    assert f"fails under PSO: {NOT_ROBUST}: SC has no execution" in answer.out
    assert answer.out.count("was overtaken by its later store flag = True") == 2
    again = desk.mcr("replay", ".mcr/message_passing-pso-2.json")
    assert again.status == 1
    assert "The failure occurs again." in again.out


def test_robust_programs_are_said_to_be(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::message_passing_fenced", "--objective", "robustness")
    assert answer.status == 0
    assert "robust: every execution is one of SC" in answer.out


def stored_by_a_thread(p: mcr.Declarations) -> tuple[mcr.Variable[int], mcr.Variable[int]]:
    """Two variables, and a thread that stores to both."""
    x, z = p.var("x", 0), p.var("z", 0)

    def writer() -> None:
        x.store(1)
        z.store(1)
        z.store(2)

    p.thread(writer)
    return x, z


@mcr.program
def looks_twice(p: mcr.Declarations) -> None:
    """An evaluation that fails has read z = 1, and the next one reads x = 0: no execution of SC."""
    x, z = stored_by_a_thread(p)

    p.thread(lambda: p.wait_until(lambda: x.load() == 0 and z.load() == 2))


def test_a_wait_of_several_loads_is_not_said_to_be_robust() -> None:
    assert mcr.check(looks_twice, "sc", objective="robustness").verdict is mcr.Verdict.VERIFIED
    for model in ("tso", "pso"):
        result = mcr.check(looks_twice, model, objective="robustness")
        assert result.verdict is mcr.Verdict.INCOMPLETE
        assert result.stop is not None
        assert "an evaluation of wait_until that fails makes several loads" in result.stop.reason


@mcr.program
def looks_twice_in_a_loop(p: mcr.Declarations) -> None:
    """The same as the loop that is to be written instead."""
    x, z = stored_by_a_thread(p)

    def reader() -> None:
        while not (x.load() == 0 and z.load() == 2):
            pass

    p.thread(reader)


@mcr.program
def looks_twice_for_ever(p: mcr.Declarations) -> None:
    """The same where every test of the loop is one piece of code, whatever CPython compiles it."""
    x, z = stored_by_a_thread(p)

    def reader() -> None:
        while True:
            if x.load() == 0 and z.load() == 2:
                break

    p.thread(reader)


@mcr.program
def looks_in_two_loops(p: mcr.Declarations) -> None:
    """A loop in a loop: what an inner one has read, an outer one leaves behind."""
    x, z = stored_by_a_thread(p)

    def reader() -> None:
        while x.load() == 1:
            while z.load() == 0:
                pass

    p.thread(reader)


@mcr.program
def looks_at_tests_and_sets(p: mcr.Declarations) -> None:
    """Turns with an update that writes what is there: a lock, which is tried when it looks free."""
    lock, x, y = p.var("lock", 1), p.var("x", 0), p.var("y", 0)

    def writer() -> None:
        x.store(1)
        lock.store(0)
        y.store(1)

    def taker() -> None:
        while y.load() == 0 and lock.exchange(1) == 1:
            pass
        x.load()

    p.thread(writer)
    p.thread(taker)


@pytest.mark.parametrize(
    "loop", [looks_twice_in_a_loop, looks_twice_for_ever, looks_in_two_loops, looks_at_tests_and_sets]
)
@pytest.mark.parametrize("model", ["tso", "pso"])
def test_loops_agree_with_brute_force(loop: mcr.Program, model: str) -> None:
    for algorithm in ("cover", "trust"):
        assert disagreement(loop, MODELS[model], 20_000, algorithm) == ""


def test_the_loop_is_decided() -> None:
    for loop in (looks_twice_in_a_loop, looks_twice_for_ever):
        for model, verdict in (("tso", "verified"), ("pso", "bug")):
            assert mcr.check(loop, model, objective="robustness").verdict == verdict
