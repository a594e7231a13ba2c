"""Objects and generators that nothing refers to any more end at once, and use no shared memory then."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import mcr
from replay.interpreter.execution import Execution


def numbers(log: list[str]) -> Iterator[int]:
    try:
        yield 1
    finally:
        log.append("closed")


def left_early() -> list[str]:
    log: list[str] = []
    for _ in numbers(log):
        break
    log.append("after the loop")
    waiting = numbers(log)
    next(waiting)
    waiting = iter(())
    log.append("after the assignment")
    return log


def test_a_generator_is_closed_with_its_last_reference() -> None:
    gc.disable()
    try:
        assert Execution().call(left_early) == left_early()
    finally:
        gc.enable()


def test_what_is_given_up_may_not_use_shared_memory() -> None:
    """CPython swallows what `__del__` raises, and a refusal must not be lost."""

    @mcr.program
    def gives_up(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        class Owner:
            def __del__(self) -> None:
                x.store(1)

        def thread() -> None:
            owner = Owner()
            del owner

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="an object is given up here, and its __del__ uses shared memory"):
        mcr.check(gives_up, "sc")
