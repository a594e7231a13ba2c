"""Native code that would take very long, or very much memory, is stopped, run in pieces or refused."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from replay.code import watchdog


def working(work: Callable[[], object]) -> mcr.Program:
    """A program one of whose threads works between two operations."""

    @mcr.program
    def works(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            x.store(1)
            work()
            x.store(2)

        p.thread(thread)

    return works


def matches() -> object:
    return re.match(r"(a+)+$", "a" * 40 + "b")


def adds() -> object:
    return sum(range(10**12))


def sorts() -> object:
    return sorted(range(10**12), reverse=True)


def lists() -> object:
    return [*range(10**12)]


@pytest.mark.parametrize("work", [matches, adds, sorts, lists])
def test_the_time_limit_holds_inside_native_code(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 3.0)  # of which a tenth lies between two looks
    started = time.process_time()
    result = mcr.check(working(work), model="sc", timeout=0.3)
    assert result.verdict is mcr.Verdict.INCOMPLETE
    assert result.stop is not None
    assert "the time limit of 0.3 s was reached" in result.stop.reason
    assert time.process_time() - started < 30


@pytest.mark.parametrize("work", [matches, adds])
def test_a_thread_that_does_not_come_back_is_named(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)
    with pytest.raises(mcr.ModelError, match=r"test_long.py:\d+: thread code ran for 0.3 s without touching shared"):
        mcr.check(working(work), model="sc")


@pytest.mark.parametrize(
    "work",
    [
        lambda: 10**10**8,
        lambda: pow(7, 10**9),
        lambda: (1).__lshift__(10**11),
        lambda: 1 << 10**11,
        lambda: "x" * 10**10,
        lambda: 10**10 * [0],
        lambda: "x".zfill(10**10),
        lambda: bytes(10**11),
        lambda: math.factorial(10**8),
        lambda: 10.5 in range(10**12),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(work: Callable[[], object]) -> None:
    with pytest.raises(mcr.ModelError, match=r"test_long.py:\d+: this line .* bytes or items, too many to check"):
        mcr.check(working(work), model="sc")


def test_ordinary_sizes_are_what_they_were() -> None:
    def work() -> None:
        assert 2**10_000 == 1 << 10_000
        assert "x".ljust(10**6, "x") == "x" * 10**6
        assert sum(range(10**5)) == (10**5 - 1) * 10**5 // 2
        assert pow(7, 10**12, 10) == 1
        assert 5 in range(10**12)
        assert math.factorial(100) % 101 == 100

    assert mcr.check(working(work), model="sc").verdict is mcr.Verdict.VERIFIED


@pytest.mark.parametrize("arguments", [(), ("a",), ("a", 2, 3)])
def test_calls_that_do_not_fit_fail_as_in_python(arguments: tuple[Any, ...]) -> None:
    def fails() -> None:
        for call in (str.__mul__, (5).__class__.__lshift__, range.__contains__):
            try:
                call(*arguments)
            except TypeError:
                continue
            raise AssertionError(call)

    assert mcr.check(working(fails), model="sc").verdict is mcr.Verdict.VERIFIED
