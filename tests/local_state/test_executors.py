"""Executors, what they are made of, and assertions of unittest.

Local states have keys, and merged or not, code returns the same.
"""

from __future__ import annotations

import threading
import unittest
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import Any

import pytest

import mcr

_GUARD, _OTHER_GUARD = threading.Lock(), threading.Lock()


class _Counter:
    def __init__(self) -> None:
        self.number = 0

    def add(self, *_: object) -> int:
        self.number += 1
        return self.number

    def add_alone(self) -> int:
        with _GUARD:
            return self.add()


Run = Callable[[_Counter], object]
RUNS: list[Run] = []


def _run(body: Run) -> Run:
    RUNS.append(body)
    return body


@_run
def _result(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(counter.add).result()


@_run
def _under_a_lock_of_a_module(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(counter.add_alone).result()


class _Case(unittest.TestCase):
    pass


@_run
def _asserted_by_unittest(counter: _Counter) -> object:
    case = _Case()
    with ThreadPoolExecutor(1) as pool, case.assertRaises(ZeroDivisionError):
        case.assertIn(pool.submit(counter.add).result(), (1, 2))
        raise ZeroDivisionError
    return counter.number


@_run
def _two_workers(counter: _Counter) -> object:
    with ThreadPoolExecutor(2) as pool:
        return pool.submit(counter.add).result()


@_run
def _exception(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        return str(pool.submit(lambda: counter.add() // 0).exception())


@_run
def _callback(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(counter.add).add_done_callback(counter.add)
    return counter.number


@_run
def _cancelled(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(counter.add).cancel()


@_run
def _waits(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        done, left = wait([pool.submit(counter.add)])
        return len(done), len(left)


@_run
def _in_the_order_of_their_ends(counter: _Counter) -> object:
    with ThreadPoolExecutor(1) as pool:
        futures: list[Future[int]] = [pool.submit(counter.add)]
        return [each.result() for each in as_completed(futures)]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__.strip("_"))
def test_merged_or_not(run: Run) -> None:
    @mcr.program
    def ran(p: Any) -> None:
        counter = p.share(_Counter())
        first, second = p.thread(run, counter), p.thread(counter.add)
        p.final(lambda: (first.join(), second.join(), counter.number))

    merged, apart = (mcr.check(ran, algorithm="stateful", objective="outcomes", merge=merge) for merge in (True, False))
    assert merged.not_compared == ()
    assert merged.verdict is apart.verdict is mcr.Verdict.VERIFIED
    assert set(merged.outcomes) == set(apart.outcomes)
    assert merged.statistics.local_states < apart.statistics.local_states


class _Flag:
    def __init__(self) -> None:
        self.is_set = self.is_other = False

    def set(self) -> None:
        self.is_set = True


def _one_object_or_another(flag: _Flag, other: _Flag) -> object:
    held = weakref.ref(flag if flag.is_set else other)
    seen = flag.is_other
    return held() is flag, seen


def _with_a_callback_or_without(flag: _Flag, _: _Flag) -> object:
    held = weakref.ref(flag, print if flag.is_set else None)
    seen = flag.is_other
    return held.__callback__ is None, seen


def _of_one_lock_or_another(flag: _Flag, _: _Flag) -> object:
    held = (_GUARD if flag.is_set else _OTHER_GUARD).acquire
    seen = flag.is_other
    held()
    return _GUARD.locked(), seen


APART = (_one_object_or_another, _with_a_callback_or_without, _of_one_lock_or_another)


@pytest.mark.parametrize("run", APART, ids=lambda run: run.__name__.strip("_"))
def test_what_differs_is_kept_apart(run: Callable[[_Flag, _Flag], object]) -> None:
    @mcr.program
    def ran(p: Any) -> None:
        flag, other = p.share(_Flag()), p.share(_Flag())
        returned = p.thread(run, flag, other)
        p.thread(flag.set)
        p.thread(setattr, flag, "is_other", True)
        p.final(lambda: returned.join())

    merged = mcr.check(ran, objective="outcomes")
    assert merged.not_compared == ()
    assert set(merged.outcomes) == {f"({one}, {other})" for one in (True, False) for other in (True, False)}
