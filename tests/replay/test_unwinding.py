"""How user code is stopped, by a limit or by Ctrl-C, whatever it does to go on."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

import mcr
from replay.code import watchdog


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

    capfd.readouterr()  # what files of earlier tests say as they are collected
    assert mcr.check(clings, "pso").verdict is mcr.Verdict.VERIFIED
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


def _clings(p: mcr.Declarations, x: mcr.Variable) -> None:
    while True:
        try:
            while True:
                try:
                    while True:
                        _busy()
                except BaseException:
                    continue
        except BaseException:
            continue


def _spins(p: mcr.Declarations, x: mcr.Variable) -> None:
    while True: pass  # fmt: skip  # noqa: E701 - the jump leads to itself


def _declares_again(p: mcr.Declarations, x: mcr.Variable) -> None:
    while True:
        try:
            with suppress(BaseException):
                p.var("x", 0)
        except BaseException:
            continue


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (_clings, "without touching shared memory"),
        (_spins, "without touching shared memory"),
        (_declares_again, "two shared things are called 'x'"),
    ],
)
@pytest.mark.parametrize("signals_in_use", [False, True])
def test_no_except_holds_up_a_program_function(
    code: Callable[..., None], said: str, signals_in_use: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)
    handler = signal.signal(signal.SIGALRM, signal.SIG_IGN if signals_in_use else signal.SIG_DFL)

    @mcr.program
    def clings(p: mcr.Declarations) -> None:
        code(p, p.var("x", 0))

    try:
        with pytest.raises(mcr.ModelError, match=said):
            mcr.check(clings)
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert sys.gettrace() is None or os.environ.get("COVERAGE_RUN")


def test_a_thread_is_stopped_where_no_signal_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)

    @mcr.program
    def clings(p: mcr.Declarations) -> None:
        p.thread(_clings, p, p.var("x", 0))

    with ThreadPoolExecutor(1) as pool, pytest.raises(mcr.ModelError, match="without touching shared memory"):
        pool.submit(mcr.check, clings).result()
