"""Turns of loops that are no locks: whether a thread waits there, by what it did and what others may see of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mcr
from mcr import Verdict
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.spinning.compare import Findings


def _agrees(declare: Callable[[Any], object], *, incomplete: int = 0) -> None:
    found = Findings()
    for model, merge in itertools.product(MODELS, (True, False)):
        plan = [("states", "cover", merge), ("outcomes", "auto", merge), ("deadlocks", "trust", merge)]
        found.compare(Program(declare), model, plan, 20_000)
    assert (found.differences, found.too_large) == ([], 0)
    assert found.incomplete == incomplete


def test_a_sequence_lock_with_a_plain_continue() -> None:
    def declare(p):  # type: ignore[no-untyped-def]
        sequence, one, other = p.var("sequence", 0), p.var("one", 0), p.var("other", 0)

        def writer():
            sequence.store(1)
            one.store(1)
            other.store(1)
            sequence.store(2)

        def reader():
            while True:
                before = sequence.load()
                if before % 2:
                    continue
                found = one.load(), other.load()
                if sequence.load() == before:
                    assert found[0] == found[1]
                    return found

        p.thread(writer)
        p.thread(reader)
        p.final(lambda: one.load())

    _agrees(declare)


def test_generator_threads() -> None:
    def declare(p):  # type: ignore[no-untyped-def]
        flag, data = p.var("flag", 0), p.var("data", 0)

        def spin():  # type: ignore[no-untyped-def]
            while (yield flag.op.load()) == 0:
                pass

        def reader():  # type: ignore[no-untyped-def]
            yield from spin()
            return (yield data.op.load())

        def writer():  # type: ignore[no-untyped-def]
            yield data.op.store(1)
            yield flag.op.store(1)

        p.thread(reader)
        p.thread(writer)

        @p.final
        def stale():
            assert data.load() == flag.load()
            return data.load()

    _agrees(declare)


def test_two_threads_that_spin_on_each_other() -> None:
    def declare(p):  # type: ignore[no-untyped-def]
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):  # type: ignore[no-untyped-def]
            while other.load() == 0:
                pass
            mine.store(1)

        p.thread(thread, x, y)
        p.thread(thread, y, x)

    _agrees(declare)
    (trace,) = mcr.check(Program(declare), "sc", objective="deadlocks").failures
    assert trace.failure is not None
    assert trace.failure.message == (
        "thread 0 waits for y to change, and spins for ever; thread 1 waits for x to change, and spins for ever"
    )


def test_nested_loops_that_remember() -> None:
    def declare(p):  # type: ignore[no-untyped-def]
        x, y = p.var("x", 0), p.var("y", 0)

        def thread():
            seen = 0
            while x.load() == 0:
                while y.load() == 1 and not seen:
                    seen = 1
            return seen

        def other():
            y.store(1)
            y.store(0)
            x.store(1)

        p.thread(thread)
        p.thread(other)
        p.final(lambda: x.load())

    _agrees(declare)


def test_a_turn_in_which_others_see_a_mutex_taken() -> None:
    """Were the turn cut as waiting, nobody would ever see that `try_lock` fails."""

    def declare(p):  # type: ignore[no-untyped-def]
        lock, flag = p.mutex("lock"), p.var("flag", 0)

        def polls():
            while True:
                with lock:
                    if flag.load():
                        return

        def other():
            taken = lock.try_lock()
            assert taken
            lock.unlock()

        p.thread(polls)
        p.thread(other)

    for algorithm in ("cover", "trust", "auto"):
        result = mcr.check(Program(declare), "sc", algorithm=algorithm, options=Options(max_operations=40))
        assert result.verdict is Verdict.BUG


def test_a_store_that_is_taken_back() -> None:
    """The turn leaves memory as it was; in between others see what it stored."""

    def declare(p):  # type: ignore[no-untyped-def]
        x, flag = p.var("x", 0), p.var("flag", 0)

        def blinks():
            while flag.load() == 0:
                x.store(1)
                x.store(0)

        def other():
            assert x.load() == 0
            flag.store(1)

        p.thread(blinks)
        p.thread(other)

    assert mcr.check(Program(declare), "sc", options=Options(max_operations=40)).verdict is Verdict.BUG


def test_tries_of_a_lock() -> None:
    def declare(p):  # type: ignore[no-untyped-def]
        lock, x = p.mutex("lock"), p.var("x", 0)

        def thread():
            while not lock.try_lock():
                pass
            x.store(x.load() + 1)
            lock.unlock()

        p.thread(thread)
        p.thread(thread)
        p.final(lambda: x.load())

    _agrees(declare)


def test_a_turn_that_is_entered_from_outside() -> None:
    """After one load more or less, in the middle of a turn or at its beginning: all of these are other ways."""

    def declare(p):  # type: ignore[no-untyped-def]
        x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

        def thread():
            if z.load() == 1:
                z.load()
            late = z.load() == 1
            while True:
                if not late and x.load() == 1:
                    return "x"
                late = False
                if y.load() == 1:
                    assert x.load() == 0 or z.load() == 1
                    return "y"

        def other():
            z.store(1)
            x.store(1)
            x.store(0)
            y.store(1)

        p.thread(thread)
        p.thread(other)
        p.final(lambda: x.load())

    _agrees(declare)


def test_a_turn_after_which_a_store_fence_is_forgotten() -> None:
    """Who leaves after no turn may have its stores in any order, whatever fences its turns would have."""

    def declare(p):  # type: ignore[no-untyped-def]
        x, y, flag = p.var("x", 0), p.var("y", 0), p.var("flag", 1)

        def writer():
            x.store(1)
            while flag.load() == 0:
                p.store_fence()
            y.store(1)

        def reader():
            flag.store(0)
            if y.load() == 1:
                assert x.load() == 1
            flag.store(1)

        p.thread(writer)
        p.thread(reader)
        p.final(lambda: x.load())

    _agrees(declare)
    assert mcr.check(Program(declare), "pso").verdict is Verdict.BUG


def test_a_turn_is_seen_whatever_was_met_first() -> None:
    """A thread was seen to ask for something late in one history before it asked for it early in another."""
    from examples import everyday

    assert mcr.check(everyday.lazy_list, "sc", algorithm="cover").verdict is Verdict.VERIFIED
    on_terms = mcr.check(everyday.lazy_list, "sc", algorithm="bmc", options=Options(deadlocks=False))
    assert on_terms.verdict is Verdict.VERIFIED  # whether threads wait for ever is not asked about values as terms
