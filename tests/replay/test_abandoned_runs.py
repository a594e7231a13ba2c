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

    def numbers():
        try:
            yield 1
        finally:
            x.store(2)

    def owns():
        for _ in numbers():
            p.assume(x.load() == 1)

    p.thread(waits)
    p.thread(cleans_up)
    p.thread(owns)
    p.thread(x.store, 1)


@mcr.program
def owned(p):
    x = p.var("x", 0)

    class Owner:
        def __del__(self):
            x.load()

    def owns():
        owner = Owner()
        p.assume(x.load() == 1)
        del owner

    p.thread(owns)
    p.thread(x.store, 1)


def test_what_is_given_up_must_not_use_shared_memory():
    with pytest.raises(mcr.ModelError, match="an object is given up here, and its __del__ uses shared memory"):
        mcr.check(owned, "sc")


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
    def threads() -> int:
        return sum(type(thing).__name__ == "RunningThread" for thing in gc.get_objects())

    mcr.check(blocked_inside, "sc")
    gc.collect()
    before = threads()
    for _ in range(5):
        mcr.check(blocked_inside, "sc")
    gc.collect()
    assert threads() <= before


@mcr.program
def garbage_in_circles(p):
    """A reader gives up a generator that would store, and only the garbage collector can find it."""
    x, y = p.var("x", 0), p.var("y", 0)

    def session():
        try:
            yield
        finally:
            y.store(1)

    def reader():
        opened = session()
        next(opened)
        circle = [opened]
        circle.append(circle)
        opened = circle = None
        x.load()
        filled = [[] for _ in range(100)]
        x.load()
        return len(filled)

    p.thread(reader)
    p.thread(reader)
    p.thread(x.store, 1)

    @p.final
    def end():
        assert y.load() == 0


@pytest.fixture
def _frequent_collections(monkeypatch):
    monkeypatch.setattr("mcr.exploration.session._EVERY", 1)
    before = gc.get_threshold()
    gc.set_threshold(10)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_frequent_collections")
@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "stateful"])
def test_what_is_collected_does_nothing_amid_another_run(algorithm, monkeypatch):
    """Its `finally` was taken for code of the thread that made the collector start."""
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    for _ in range(3):
        assert mcr.check(garbage_in_circles, "sc", algorithm=algorithm).verdict is mcr.Verdict.VERIFIED
    assert said == []
    assert gc.isenabled()


def test_thread_code_does_not_collect():
    @mcr.program
    def collects(p):
        p.thread(gc.collect)

    with pytest.raises(mcr.ModelError, match="free what other runs have left"):
        mcr.check(collects, "sc")
