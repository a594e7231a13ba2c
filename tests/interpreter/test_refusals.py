"""Native code that the interpreter does not know is refused with what the user wrote, and what to write instead."""

from __future__ import annotations

import _thread
import os
import re
import threading
import zlib
from collections.abc import Callable

import pytest

import mcr
from replay.interpreter.execution import running_execution


def refusal(code: Callable[[], object]) -> str:

    @mcr.program
    def using(p: mcr.Declarations) -> None:
        p.thread(code)

    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(using)
    return raised.value.message


def test_the_function_of_the_library_is_named_that_the_user_called() -> None:
    message = refusal(lambda: os.fwalk("."))
    assert message.startswith("thread code uses what is outside (os."), message


def test_locks_inside_of_the_library_are_its_own_affair() -> None:
    message = refusal(lambda: vars(threading)["Thread"]())
    assert message.startswith("thread code uses what is outside (threading."), message


def test_native_code_without_a_row_is_named() -> None:
    assert "(_thread.allocate_lock)" in refusal(lambda: vars(_thread)["allocate_lock"]())


def test_methods_of_c_that_are_told_their_class_are_known_one_by_one() -> None:
    """Bound ones are of a class of their own, whose `__call__` ran whatever they were."""
    stream = zlib.decompressobj()
    assert "Decompress.decompress cannot be checked" in refusal(lambda: stream.decompress(b""))


def test_scanners_are_known() -> None:
    @mcr.program
    def scanning(p: mcr.Declarations) -> None:
        def scan() -> None:
            scanner = vars(re.Pattern)["scanner"](re.compile("a"), "ab")
            assert scanner.match() and not scanner.match()

        p.thread(scan)

    assert mcr.check(scanning, "sc").verdict is mcr.Verdict.VERIFIED


def test_other_threads_of_python_run_no_execution() -> None:
    """A timer of a test was taken for thread code."""
    seen: list[object] = []

    @mcr.program
    def watched(p: mcr.Declarations) -> None:
        p.thread(lambda: sum(number for number in range(40_000)))

    timer = threading.Timer(0.05, lambda: seen.append(running_execution()))
    timer.start()
    mcr.check(watched)
    timer.join()
    assert seen == [None]
