"""Runs that nobody needs any more are unwound without a trace."""

import gc
import sys

import pytest

import mcr


@mcr.program
def blocked_inside(p):
    x, m = p.var("x", 0), p.mutex("m")

    def waits():
        with m:
            p.assume(x.load() == 1)

    def cleans_up():
        try:
            p.assume(x.load() == 1)
        finally:
            x.store(2)

    class Owner:
        def __del__(self):
            x.load()

    def numbers():
        try:
            yield 1
        finally:
            x.store(2)

    def owns():
        owner = Owner()
        for _ in numbers():
            p.assume(x.load() == 1)
        del owner

    p.thread(waits)
    p.thread(cleans_up)
    p.thread(owns)
    p.thread(x.store, 1)


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_unwinding_does_nothing_and_says_nothing(model, monkeypatch):
    gc.collect()  # what other tests left behind is theirs
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    result = mcr.check(blocked_inside, model)
    gc.collect()
    assert result.verdict is mcr.Verdict.VERIFIED
    assert said == []


def test_runs_are_freed_without_the_garbage_collector():
    def greenlets() -> int:
        return sum(type(thing).__name__ == "RunningThread" for thing in gc.get_objects())

    mcr.check(blocked_inside, "sc")
    gc.collect()
    before = greenlets()
    for _ in range(5):
        mcr.check(blocked_inside, "sc")
    gc.collect()
    assert greenlets() <= before
