"""Programs of two or three threads, and all that can come of them by the documentation of `threading` and `queue`.

Each is explored by every algorithm that looks for outcomes, and by brute force.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from typing import NamedTuple

import pytest

import mcr
from mcr.exploration.verdict import Verdict
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK
from replay.world.memory_models import MODELS
from tests.support import compare_each


class Case(NamedTuple):
    """A program, what its threads can return together, and whether they can be stuck."""

    declare: Callable[[mcr.Declarations], None]
    outcomes: set[tuple[object, ...]]
    stuck: bool = False


CASES: dict[str, Case] = {}


def case(*outcomes: tuple[object, ...], stuck: bool = False) -> Callable[[Callable[[mcr.Declarations], None]], None]:
    def add(declare: Callable[[mcr.Declarations], None]) -> None:
        CASES[declare.__name__] = Case(declare, set(outcomes), stuck)

    return add


def threads(p, *functions):
    """Declare them, and let the outcome be what they return."""
    for function in functions:
        p.thread(function)


# -- semaphores ---------------------------------------------------------------------


@case((True, False), (False, True), (True, True))
def two_try_one_place(p):
    sem = p.semaphore()

    def thread():
        if not sem.acquire(blocking=False):
            return False
        sem.release()
        return True

    threads(p, thread, thread)


@case((True, None), (False, None))
def released_in_time_or_not(p):
    sem = p.semaphore(0)
    threads(p, lambda: sem.acquire(timeout=1), sem.release)


@case((True, True, None))
def one_release_lets_two_in(p):
    sem = p.semaphore(0)
    threads(p, sem.acquire, sem.acquire, lambda: sem.release(2))


@case(stuck=True)
def acquired_more_often_than_released(p):
    sem = p.semaphore(0)
    threads(p, sem.acquire, sem.acquire, sem.release)


@case(("released too often", 1))
def bounded(p):
    sem = p.bounded_semaphore(1)

    def thread():
        with sem:
            pass
        try:
            sem.release()
        except ValueError:
            return "released too often"
        return "released"

    threads(p, thread, lambda: 1)


# -- events -------------------------------------------------------------------------


@case((True, None))
def event_that_is_set(p):
    event = p.event()
    threads(p, event.wait, event.set)


@case((True, None), (False, None))
def event_that_may_be_late(p):
    event = p.event()
    threads(p, lambda: event.wait(timeout=0.1), event.set)


@case((True, None), stuck=True)
def event_that_may_be_cleared(p):
    event = p.event()

    def set_and_clear():
        event.set()
        event.clear()

    threads(p, event.wait, set_and_clear)


# -- barriers -----------------------------------------------------------------------


@case(*((a, b, c) for a in range(3) for b in range(3) for c in range(3) if len({a, b, c}) == 3))
def numbers_of_a_barrier(p):
    gate = p.barrier(3)
    threads(p, gate.wait, gate.wait, gate.wait)


@case((1, 1, 1))
def barrier_twice(p):
    """The action runs once for each round, before anybody goes on."""
    rounds = p.var(0)
    gate = p.barrier(2, rounds.fetch_add)

    def thread():
        gate.wait()
        assert rounds.load() >= 1
        gate.wait()
        assert rounds.load() == 2
        return 1

    threads(p, thread, thread, lambda: 1)


@case(("broken", "broken"), ("passed", "passed"))
def barrier_with_a_timeout(p):
    gate = p.barrier(2)

    def wait(**options):
        try:
            gate.wait(**options)
        except threading.BrokenBarrierError:
            return "broken"
        return "passed"

    threads(p, wait, lambda: wait(timeout=1))


@case(("broken", None), stuck=True)
def barrier_that_is_reset(p):
    gate = p.barrier(2)

    def wait():
        try:
            return gate.wait()
        except threading.BrokenBarrierError:
            return "broken"

    threads(p, wait, gate.reset)


@case(("broken", "broken"))
def barrier_whose_action_fails(p):
    def fail():
        raise KeyError

    gate = p.barrier(2, fail)

    def wait():
        try:
            gate.wait()
        except (threading.BrokenBarrierError, KeyError):
            return "broken" if gate.broken else "passed"

    threads(p, wait, wait)


# -- locks --------------------------------------------------------------------------


@case(((1, 1), None), ((0, 0), None))
def readers_see_no_half_writes(p):
    lock, x, y = p.rwlock(), p.var(0), p.var(0)

    def read():
        with lock.reader:
            return x.load(), y.load()

    def write():
        with lock.writer:
            x.store(1)
            y.store(1)

    threads(p, read, write)


@case((True, True, False), (True, True, True))
def readers_share_and_a_writer_does_not(p):
    lock = p.rwlock()

    def read():
        lock.reader.acquire()
        with lock.reader:
            pass
        lock.reader.release()
        return True

    def write():
        taken = lock.writer.acquire(timeout=1)
        if taken:
            lock.writer.release()
        return taken

    threads(p, read, read, write)


@case((1, 2), (2, 1))
def reentrant(p):
    lock, x = p.rlock(), p.var(0)

    def thread():
        with lock:
            assert lock.acquire(blocking=False)
            x.store(x.load() + 1)
            lock.release()
            with lock:
                return x.load()

    threads(p, thread, thread)


@case(("not held", 1))
def released_by_who_does_not_hold_it(p):
    lock, sides = p.rlock(), p.rwlock()

    def thread():
        for each in (lock, sides.reader, sides.writer):
            try:
                each.release()
            except RuntimeError:
                continue
            return "released"
        return "not held"

    threads(p, thread, lambda: 1)


@case(((True, 1), None), ((False, 0), None), ((False, 1), None))
def condition_with_a_timeout(p):
    lock = p.rlock()
    changed, x = p.condition(lock), p.var(0)

    def wait():
        with changed, lock:
            return changed.wait(timeout=1), x.load()

    def change():
        with changed:
            x.store(1)
            changed.notify()

    threads(p, wait, change)


@case((1, 2, None), (2, 1, None))
def two_are_notified(p):
    changed, turns = p.condition(), p.var(0)

    def wait():
        with changed:
            changed.wait_for(lambda: turns.load() > 0)
            return turns.fetch_add(1)

    def go():
        with changed:
            turns.store(1)
            changed.notify(2)

    threads(p, wait, wait, go)


# -- queues, futures, once ----------------------------------------------------------


@case((None, (0, 1)))
def bounded_queue(p):
    items = p.queue(maxsize=1)

    def put():
        for number in range(2):
            items.put(number)
        items.join()

    def get():
        got = []
        for _ in range(2):
            got.append(items.get())
            items.task_done()
        return tuple(got)

    threads(p, put, get)


@case((None, (0, 0, True, False), "empty"), stuck=True)
def queue_without_waiting(p):
    items = p.queue(1)

    def put():
        items.put(0)

    def get():
        got = items.get(timeout=None)
        return got, items.qsize(), items.empty(), items.full()

    def impatient():
        try:
            items.get_nowait()
            return "got"
        except queue.Empty:
            return "empty"

    threads(p, put, get, impatient)


@case(("full", None), ("put", None))
def queue_that_may_be_full(p):
    items = p.queue(1)

    def put():
        try:
            items.put_nowait(1)
            items.put(2, timeout=1)
            return "put"
        except queue.Full:
            return "full"

    def get():
        items.get()

    threads(p, put, get)


@case((42, None, "set"))
def future(p):
    answer = p.future()

    def make():
        answer.set_result(42)
        try:
            answer.set_result(43)
        except InvalidStateError:
            return "set"

    threads(p, answer.result, answer.exception, make)


@case(("KeyError(1)", None), ("late", None))
def future_that_fails(p):
    answer = p.future()

    def use():
        try:
            answer.result(timeout=1)
        except KeyError as error:
            return f"KeyError({error})"
        except TimeoutError:
            return "late"

    threads(p, use, lambda: answer.set_exception(KeyError(1)))


@case((7, 7, False), (7, 7, True))
def once(p):
    first, calls = p.once(), p.var(0)

    def make():
        assert calls.fetch_add() == 0
        return 7

    threads(p, lambda: first.do(make), lambda: first.do(make), first.done)


@case((1, "failed"), ("failed", 1))
def once_that_fails_at_first(p):
    first, calls = p.once(), p.var(0)

    def make():
        if calls.fetch_add() == 0:
            raise OSError
        return 1

    def thread():
        try:
            return first.do(make)
        except OSError:
            return "failed"

    threads(p, thread, thread)


@pytest.mark.parametrize("model", ["sc", "pso"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_that_can_come_of_it(case: Case, model: str) -> None:
    program = Program(case.declare)
    everything = mcr.Options(keep_going=True, shorten=False)
    result = mcr.check(program, model, objective="outcomes,deadlocks", options=everything)
    deadlocks = [trace for trace in result.failures if trace.failure and trace.failure.error == DEADLOCK]
    others = [trace.failure for trace in result.failures if trace not in deadlocks]
    assert not others
    assert set(result.outcomes) == {repr(outcome) for outcome in case.outcomes}
    assert bool(deadlocks) is case.stuck
    assert result.verdict is (Verdict.BUG if case.stuck else Verdict.VERIFIED)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_brute_force_agrees(case: Case) -> None:
    found = compare_each(Program(case.declare), MODELS["tso"], ("states",), ("auto",), max_machine_states=3000)
    assert found.decided
    assert not found.differences, found.differences


@mcr.program
def named_first(p: mcr.Declarations) -> None:
    """A name comes first everywhere, as it does for variables and mutexes."""
    things = [p.semaphore("a", 2), p.bounded_semaphore("b"), p.queue("c", 1), p.barrier("d", 1), p.event("e")]  # type: ignore[arg-type, call-arg, misc]
    things += [p.rlock("f"), p.rwlock("g"), p.future("h"), p.once("i"), p.semaphore(2, name="j")]  # type: ignore[call-arg]
    names = [thing.name for thing in things]
    p.thread(lambda: things[0].acquire() and things[0].acquire())
    p.final(lambda: "".join(names))


def test_a_name_may_come_first() -> None:
    result = mcr.check(named_first, "sc", objective="outcomes")
    assert result.verdict == "verified"
    assert result.outcomes == ("'abcdefghij'",) or set(result.outcomes) == {"'abcdefghij'"}
