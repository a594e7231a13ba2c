"""What a module has once for all runs stays itself where a thread is copied that has it among its operands."""

from __future__ import annotations

import logging

import pytest

import mcr
from mcr.exploration.verdict import Verdict


def made():
    class Sentinel:
        def __init__(self):
            self.name = "nothing"

        def __bool__(self):
            return False

    return Sentinel()


NOTHING, SENTINEL, LOGGER = object(), made(), logging.getLogger("test_constants_on_the_stack")


class Box:
    def __init__(self):
        self.one = self.two = None

    def nothing(self):
        self.one = self.two = NOTHING
        got = self.two
        assert got is NOTHING or got is None

    def sentinel(self):
        self.one = self.two = SENTINEL
        got = self.two
        assert got is SENTINEL or got is None

    def logger(self):
        self.one = self.two = LOGGER
        got = self.two
        assert got is LOGGER or got is None

    def clear(self):
        if self.one is not None:
            self.two = None


def test_it_is_the_same_in_a_copy_of_a_thread_of_a_model():
    @mcr.program
    def program(p):
        x, y = p.var(0), p.var(0)

        @p.thread
        def reader():
            nothing = NOTHING
            x.load()
            y.load()
            assert nothing is NOTHING

        @p.thread
        def writer():
            x.store(1)
            y.store(1)

    assert mcr.check(program, model="sc").verdict is Verdict.VERIFIED


@pytest.mark.parametrize("what", ["nothing", "sentinel", "logger"])
def test_it_is_the_same_in_a_copy(what):
    @mcr.program
    def program(p):
        box = p.share(Box())
        p.thread(getattr(box, what))
        p.thread(getattr(box, what))
        p.thread(box.clear)

    assert mcr.check(program, model="sc").verdict is Verdict.VERIFIED
