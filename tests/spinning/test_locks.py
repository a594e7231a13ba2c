"""Spin loops as users write them: the same answers as with `wait_until`, and as by going round and round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr import Verdict
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK
from replay.world.memory_models import MODELS
from tests.spinning.compare import EVERYTHING, Findings

Lock = Callable[[Any, bool], Callable[[int], tuple[Callable[[], object], Callable[[], object]]]]
"""Declares a lock, and gives acquire and release for each thread's number; spins, or waits if told so."""


def _ticket(p, waits):  # type: ignore[no-untyped-def]
    tickets, owner = p.var("tickets", 0), p.var("owner", 0)

    def of(number):  # type: ignore[no-untyped-def]
        def acquire():
            mine = tickets.fetch_add(1)
            if waits:
                p.wait_until(lambda: owner.load() == mine)
            else:
                while owner.load() != mine:
                    pass

        return acquire, lambda: owner.store(owner.load() + 1)

    return of


def _test_and_test_and_set(p, waits):  # type: ignore[no-untyped-def]
    flag = p.var("flag", 0)

    def acquire():
        while True:
            if waits:
                p.wait_until(lambda: flag.load() == 0)
            else:
                while flag.load() == 1:
                    pass
            if flag.exchange(1) == 0:
                return

    return lambda number: (acquire, lambda: flag.store(0))


def _test_and_set(p, waits):  # type: ignore[no-untyped-def]
    flag = p.var("flag", 0)

    def acquire():
        if waits:
            p.wait_until(lambda: flag.load() == 0)
            p.assume(flag.exchange(1) == 0)
        else:
            while flag.exchange(1):
                pass

    return lambda number: (acquire, lambda: flag.store(0))


def _retry(p, waits):  # type: ignore[no-untyped-def]
    flag = p.var("flag", 0)

    def acquire():
        if waits:
            p.wait_until(lambda: flag.load() == 0)
            p.assume(flag.compare_exchange(0, 1))
        else:
            while not flag.compare_exchange(0, 1):
                pass

    return lambda number: (acquire, lambda: flag.store(0))


def _mcs(p, waits):  # type: ignore[no-untyped-def]
    tail = p.var("tail", -1)
    following = [p.var(f"next{number}", -1) for number in range(3)]
    locked = [p.var(f"locked{number}", 0) for number in range(3)]

    def spin(while_: Callable[[], bool]) -> None:
        if waits:
            p.wait_until(lambda: not while_())
        else:
            while while_():
                pass

    def of(me):  # type: ignore[no-untyped-def]
        def acquire():
            following[me].store(-1)
            locked[me].store(1)
            before = tail.exchange(me)
            if before != -1:
                following[before].store(me)
                spin(lambda: locked[me].load() == 1)

        def release():
            if following[me].load() == -1:
                if tail.compare_exchange(me, -1):
                    return
                spin(lambda: following[me].load() == -1)
            locked[following[me].load()].store(0)

        return acquire, release

    return of


def _clh(p, waits):  # type: ignore[no-untyped-def]
    locked = [p.var(f"locked{number}", 0) for number in range(4)]
    tail = p.var("tail", 3)

    def of(me):  # type: ignore[no-untyped-def]
        def acquire():
            locked[me].store(1)
            before = tail.exchange(me)
            if waits:
                p.wait_until(lambda: locked[before].load() == 0)
            else:
                while locked[before].load():
                    pass

        return acquire, lambda: locked[me].store(0)

    return of


def _generator(p, waits):  # type: ignore[no-untyped-def]
    """Only the loop is a generator; see `test_generator_threads` for whole threads."""
    flag = p.var("flag", 0)

    def tries():
        while not flag.compare_exchange(0, 1):
            yield

    def acquire():
        if waits:
            p.wait_until(lambda: flag.load() == 0)
            p.assume(flag.compare_exchange(0, 1))
        else:
            for _ in tries():
                pass

    return lambda number: (acquire, lambda: flag.store(0))


LOCKS = {
    "ticket": _ticket,
    "test and test and set": _test_and_test_and_set,
    "test and set": _test_and_set,
    "compare and exchange": _retry,
    "MCS": _mcs,
    "CLH": _clh,
    "helper that yields": _generator,
}


def _locked(lock: Lock, waits: bool, threads: int = 2, *, forgets: bool = False) -> Program:
    """Threads that increment a counter under the lock, or one of which never lets go of it."""

    def declare(p):  # type: ignore[no-untyped-def]
        of, counter = lock(p, waits), p.var("counter", 0)

        def thread(acquire, release, lets_go):  # type: ignore[no-untyped-def]
            acquire()
            counter.store(counter.load() + 1)
            if lets_go:
                release()

        for number in range(threads):
            p.thread(thread, *of(number), not forgets or number > 0)

        @p.final
        def nobody_is_lost():
            assert counter.load() == threads
            return counter.load()

    return Program(declare)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_to_spin_is_to_wait(lock: Lock, model: str) -> None:
    for objective in ("states", "outcomes", "deadlocks"):
        spins = mcr.check(_locked(lock, False), model, objective=objective)
        waits = mcr.check(_locked(lock, True), model, objective=objective)
        assert spins.stop is None
        assert _said(spins, objective) == _said(waits, objective)


def _said(result: mcr.Result, objective: str) -> tuple[object, ...]:
    errors = {trace.failure.error for trace in result.failures if trace.failure}
    if objective == "deadlocks":  # the final function is looked at by chance
        return (DEADLOCK in errors,)
    return result.verdict, errors, result.outcomes if objective == "outcomes" else ()


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_nothing_is_lost(lock: Lock) -> None:
    """Against going round and round; each lock under one model, in turn."""
    model = list(MODELS)[list(LOCKS.values()).index(lock) % 3]
    found = Findings()
    found.compare(_locked(lock, False), model, list(EVERYTHING)[::3], 20_000)
    assert (found.differences, found.too_large, found.incomplete) == ([], 0, 0)


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_a_lock_that_is_never_let_go(lock: Lock) -> None:
    """Who spins on it spins for ever; the trace says where, and plays again."""
    program = _locked(lock, False, forgets=True)
    result = mcr.check(program, "tso", objective="deadlocks")
    (trace,) = result.failures
    assert trace.failure is not None
    assert trace.failure.error == DEADLOCK
    assert "spins for ever" in trace.failure.message
    assert trace.failure.stack
    assert mcr.replay(program, trace).failure == trace.failure


@pytest.mark.parametrize("lock", [_ticket, _test_and_test_and_set])
def test_three_threads(lock: Lock) -> None:
    assert mcr.check(_locked(lock, False, 3), "tso").verdict is Verdict.VERIFIED
