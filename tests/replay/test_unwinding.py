"""How user code is stopped, by a limit or by Ctrl-C, whatever it does to go on."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator

import greenlet
import pytest

import mcr
from replay.code import user_code, watchdog


def _loops_for_ever(p, x):
    while True:
        try:
            p.assume(x.load() == 1)
            return
        except:  # noqa: E722
            continue


def _loops_inside_a_loop(p, x):
    while True:
        try:
            while True:
                try:
                    p.assume(x.load() == 1)
                    return
                except BaseException:
                    x.load()
        except BaseException:
            continue
        finally:
            x.load()


def _generator_loops(p, x):
    def inner():
        while True:
            try:
                if (yield x.op.load()) == 1:
                    return
                p.assume(False)
            except BaseException:
                continue

    yield from inner()


@pytest.mark.parametrize("code", [_loops_for_ever, _loops_inside_a_loop, _generator_loops])
def test_code_that_clings_to_life_is_unwound(code, capfd) -> None:
    @mcr.program
    def clings(p: mcr.Declarations) -> None:
        x = p.var("x", 0)
        p.thread(code, p, x)
        p.thread(code, p, x)
        p.thread(x.store, 1)

    def suspended() -> int:
        gc.collect()
        return sum(isinstance(thing, greenlet.greenlet) for thing in gc.get_objects())

    greenlet.getcurrent()  # the first one, which is there for good
    before = suspended()
    capfd.readouterr()  # what files of earlier tests say as they are collected
    assert mcr.check(clings, "pso").verdict is mcr.Verdict.VERIFIED
    assert suspended() <= before
    assert sys.gettrace() is None or os.environ.get("COVERAGE_RUN")
    assert capfd.readouterr() == ("", "")


def _busy() -> None:
    pass


def test_no_except_holds_up_the_watchdog(monkeypatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)

    @mcr.program
    def stubborn(p: mcr.Declarations) -> None:
        def thread() -> None:
            while True:
                try:
                    _busy()
                except BaseException:
                    _busy()

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="without touching shared memory"):
        mcr.check(stubborn)


def test_unwinding_that_loops_is_told(monkeypatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)

    @mcr.program
    def stubborn(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            try:
                p.assume(x.load())
            finally:
                while True:
                    _busy()

        p.thread(thread)
        p.thread(x.store, 1)

    with pytest.raises(mcr.ModelError, match="without touching shared memory"):
        mcr.check(stubborn)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C means what it means in a terminal; a shell lets commands in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("swallow", [False, True])
def test_ctrl_c_is_no_bug_of_the_program(swallow: bool) -> None:
    @mcr.program
    def interrupted(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            x.load()
            try:
                while True:
                    _busy()
            except BaseException:
                if not swallow:
                    raise
            x.store(1)

        p.thread(thread)

    ctrl_c = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    ctrl_c.start()
    result = mcr.check(interrupted)
    ctrl_c.join()
    assert result.verdict is mcr.Verdict.INCOMPLETE
    assert result.stop is not None
    assert "interrupt" in result.stop.reason
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_the_collector_frees_is_unwound_when_it_has_done_its_work() -> None:
    """Its lists begin on the stack, where another stack is while the code ends: Python crashed."""
    seen = []

    def code() -> None:
        try:
            greenlet.getcurrent().parent.switch()
        finally:
            seen.append(user_code._collector.is_at_work)

    suspended = user_code.UserCode(code, str)
    suspended.go()
    circle: list[object] = [suspended]
    circle.append(circle)
    del suspended, circle
    gc.collect()
    assert seen == [False]


def test_of_what_the_collector_finds_in_suspended_code_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """From CPython 3.15 on it looks into frames, and closes generators of theirs that are executing: these refuse."""
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(args.exc_value))

    def code() -> None:
        def waiting() -> Iterator[int]:
            greenlet.getcurrent().parent.switch()
            yield 1

        for _ in waiting():
            pass

    suspended = user_code.UserCode(code, str)
    suspended.go()
    assert suspended.gr_frame is not None
    circle: list[object] = [suspended, suspended.gr_frame.f_back]
    circle.append(circle)
    del suspended, circle
    gc.collect()
    assert told == []
