"""Deadlocks are failures: under every algorithm, with a headline, a replay and an option that allows them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from mcr.explorers.registry import ALGORITHMS, FOR_MANY_INPUTS
from replay.traces.trace import DEADLOCK
from tests.desk import Desk


def check(program: mcr.Program, model: str = "sc", algorithm: str = "auto", **options: Any) -> Result:
    return mcr.check(program, model, algorithm=algorithm, options=Options(**options))


def both(one: Any, other: Any) -> None:
    with one, other:
        pass


@mcr.program
def opposite_orders(p):
    a, b = p.mutex("a"), p.mutex("b")
    p.thread(both, a, b)
    p.thread(both, b, a)


@mcr.program
def same_order(p):
    a, b = p.mutex("a"), p.mutex("b")
    p.thread(both, a, b)
    p.thread(both, a, b)


@mcr.program
def never_released(p):
    mutex = p.mutex("mutex")
    p.thread(mutex.lock)

    @p.thread
    def waiting():
        with mutex:
            pass


@mcr.program
def taken_twice(p):
    mutex = p.mutex("mutex")
    p.thread(lambda: both(mutex, mutex))


@mcr.program
def each_joins_the_other(p):
    threads: list[Any] = []
    threads.append(p.thread(lambda: threads[1].join()))
    threads.append(p.thread(lambda: threads[0].join()))


@mcr.program
def nobody_puts(p):
    queue = p.queue(name="queue")
    p.thread(queue.get)


@mcr.program
def lost_notification(p):
    mutex = p.mutex("mutex")
    condition = p.condition("condition", mutex)

    @p.thread
    def sleeper():
        with mutex:
            condition.wait()

    @p.thread
    def waker():
        with mutex:
            condition.notify()


@mcr.program
def condition_that_never_holds(p):
    x = p.var("x", 0)
    p.thread(lambda: p.wait_until(lambda: x.load() == 2))
    p.thread(lambda: x.store(1))


@mcr.program
def spins_for_ever(p):
    x = p.var("x", 0)

    @p.thread
    def spinning():
        while x.load() != 2:
            pass

    p.thread(lambda: x.store(1))


@mcr.program
def spins_until_it_is_let_go(p):
    x = p.var("x", 0)

    @p.thread
    def spinning():
        while x.load() != 2:
            pass

    p.thread(lambda: x.store(2))


@mcr.program
def waits_for_who_stopped(p):
    """The owner of the mutex failed an assumption; who joins who waits for it is in no deadlock either."""
    x, mutex = p.var("x", 0), p.mutex("mutex")

    def stopping():
        with mutex:
            p.assume(x.load() == 1)

    one, other = p.thread(stopping), p.thread(stopping)
    p.thread(lambda: x.store(1))
    p.thread(lambda: (one.join(), other.join()))


@mcr.program
def might_have_been_let_go(p):
    """Who stopped at an assumption would have stored what the other waits for."""
    x = p.var("x", 0)

    @p.thread
    def stopping():
        p.assume(False)
        x.store(1)

    p.thread(lambda: p.wait_until(lambda: x.load() == 1))


@mcr.program
def beside_who_stopped(p):
    """An assumption failed, but nobody in the circle waits for that thread."""
    a, b = p.mutex("a"), p.mutex("b")
    p.thread(both, a, b)
    p.thread(both, b, a)
    p.thread(lambda: p.assume(False))


@mcr.program
def only_with_buffers(p):
    """Under TSO both look before the other's store is in memory, and both wait for ever."""
    x, y = p.var("x", 0), p.var("y", 0)

    def waits_if_first(mine, other):
        mine.store(1)
        if other.load() == 0:
            p.wait_until(lambda: other.load() == 2)
        mine.store(2)

    p.thread(waits_if_first, x, y)
    p.thread(waits_if_first, y, x)


HEADLINES = {
    opposite_orders: "thread 0 waits for b, which thread 1 holds; thread 1 waits for a, which thread 0 holds",
    never_released: "thread 1 waits for mutex, which thread 0 never released",
    taken_twice: "thread 0 waits for mutex, which it holds itself",
    each_joins_the_other: "thread 0 waits for the end of thread 1; thread 1 waits for the end of thread 0",
    nobody_puts: "thread 0 waits in queue.get()",
    lost_notification: "thread 0 waits to be notified on condition, and no other thread is left to notify it",
    condition_that_never_holds: "thread 0 waits for its condition on x",
    spins_for_ever: "thread 0 waits for x to change, and spins for ever",
    beside_who_stopped: "thread 0 waits for b, which thread 1 holds; thread 1 waits for a, which thread 0 holds",
}
SOUND = (same_order, spins_until_it_is_let_go, waits_for_who_stopped, might_have_been_let_go)

each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def _name(program: object) -> str:
    return getattr(program, "name", str(program))


@each_algorithm
@pytest.mark.parametrize("program", HEADLINES, ids=_name)
def test_who_waits_for_ever_is_a_bug(program: mcr.Program, algorithm: str) -> None:
    result = check(program, algorithm=algorithm)
    if algorithm == FOR_MANY_INPUTS and result.verdict is Verdict.INCOMPLETE:
        assert result.stop is not None
        assert "wait for ever" in result.stop.reason
        return
    (trace,) = result.failures
    assert trace.failure is not None
    assert trace.failure.error == DEADLOCK
    if program is never_released:  # either may be the one that comes first
        assert trace.failure.message.endswith("never released")
    else:
        assert trace.failure.message == HEADLINES[program]
    assert mcr.replay(program, trace).failure == trace.failure
    assert check(program, algorithm=algorithm, deadlocks=False).verdict is Verdict.VERIFIED


@each_algorithm
@pytest.mark.parametrize("program", SOUND, ids=_name)
def test_who_is_let_go_or_waits_for_who_stopped_is_none(program: mcr.Program, algorithm: str) -> None:
    verdict = check(program, algorithm=algorithm).verdict
    assert verdict is Verdict.VERIFIED or (algorithm == FOR_MANY_INPUTS and verdict is Verdict.INCOMPLETE)


@each_algorithm
def test_deadlocks_that_buffers_make(algorithm: str) -> None:
    for model in ALGORITHMS[algorithm].models:
        verdict = check(only_with_buffers, model, algorithm).verdict
        if algorithm != FOR_MANY_INPUTS or verdict is not Verdict.INCOMPLETE:
            assert verdict is (Verdict.VERIFIED if model == "sc" else Verdict.BUG), model


@pytest.mark.parametrize("algorithm", ["auto", "trust", "cover"])
def test_several_processes_find_the_same(algorithm: str) -> None:
    one, two = (check(opposite_orders, algorithm=algorithm, jobs=jobs).failures for jobs in (1, 2))
    assert one == two


# -- where they are allowed --------------------------------------------------------


def test_the_report_says_how_many_runs_ended_so(desk: Desk) -> None:
    desk.write("orders.py", _ORDERS)
    assert desk.mcr("check", "orders.py::orders", "--model", "sc").status == 1
    allowed = desk.mcr("check", "orders.py::orders", "--model", "sc", "--allow-deadlock")
    assert allowed.status == 0
    assert "threads wait for ever at the end of" in allowed.out
    assert desk.mcr("check", "orders.py::allowed", "--model", "sc").status == 0


_ORDERS = """
import mcr

def declare(p):
    a, b = p.mutex("a"), p.mutex("b")
    def both(one, other):
        with one, other:
            pass
    p.thread(both, a, b)
    p.thread(both, b, a)

@mcr.program
def orders(p):
    declare(p)

@mcr.program(deadlocks=False)
def allowed(p):
    declare(p)
"""


def test_a_program_may_allow_them_and_still_be_asked() -> None:
    allowing: Callable[..., mcr.Program] = functools.partial(mcr.Program, deadlocks=False)
    program = allowing(opposite_orders.function)
    assert check(program).verdict is Verdict.VERIFIED
    assert mcr.check(program, objective="deadlocks").verdict is Verdict.BUG
    assert not mcr.test(program).deadlocks
