"""Explorations that ended keep nothing: processes check thousands of programs."""

from __future__ import annotations

import gc
import weakref

import mcr
from replay.frontend.program import Program


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> None:
        self.count += 1


def adding() -> Program:
    """A program whose threads close over what it declares."""

    @mcr.program
    def program(p: mcr.Declarations) -> None:
        counter = p.share(Counter())
        for _ in range(2):
            p.thread(lambda: counter.add())

    return program


def test_what_explorations_keep_is_gone_when_two_more_have_begun() -> None:
    """The next one may look while garbage of the one before is there, and keeps what it finds."""
    before = []
    for _ in range(5):
        program = adding()
        before.append(weakref.ref(program.function))
        assert program.fingerprint()
        assert mcr.check(program, "sc").verdict is mcr.Verdict.VERIFIED
        del program
    gc.collect()
    assert [function() is None for function in before[:-2]] == [True, True, True]
