"""One instruction may call one function twice, and a thread may be told from others by how it was spawned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import mcr
from replay.errors import ModelError


@mcr.program
def compares(p):
    """`a < b` raises TypeError where x is 5: the method of either operand gives up."""
    x = p.var("x", 0)

    def less(self, other):
        value = x.load()
        return NotImplemented if value == 5 else value >= 8

    class Version:
        __lt__ = less
        __gt__ = less

    def reader():
        one, other = Version(), Version()
        while True:
            try:
                if one < other:
                    return
            except TypeError:
                raise AssertionError("neither knows") from None

    def writer():
        for value in range(1, 9):
            x.store(value)

    p.thread(reader)
    p.thread(writer)


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "stateful"])
def test_the_methods_of_both_operands_are_told_apart(algorithm: str, merge: bool) -> None:
    assert mcr.check(compares, "sc", algorithm=algorithm, options=mcr.Options(merge=merge)).verdict == "bug"


def _outcomes(look: Callable[..., object]) -> mcr.Program:
    @mcr.program
    def looked(p):
        x = p.var("x", 0)
        thread = p.thread(look, x)
        p.thread(x.store, 1)

        @p.final
        def end():
            return thread.join()

    return looked


def _equal(x):
    class Value:
        def __eq__(self, other):
            return True if x.load() else NotImplemented

    return Value() == Value()


def _added(x):
    def add(self, other):
        return True if x.load() else NotImplemented

    class Value:
        __iadd__ = __add__ = add

    value = Value()
    try:
        value += Value()
    except TypeError:
        return False
    return value


def _attribute(x):
    def look(self, *name):
        if x.load() == 0:
            raise AttributeError
        return 5

    class Thing:
        v = property(look)
        __getattr__ = look

    return hasattr(Thing(), "v")


@pytest.mark.parametrize("look", [_equal, _added, _attribute])
@pytest.mark.parametrize("algorithm", ["auto", "stateful", "cover", "exhaustive"])
def test_what_is_called_again_has_another_future(algorithm: str, look: Callable[..., object]) -> None:
    found = mcr.check(_outcomes(look), "sc", objective="outcomes", algorithm=algorithm)
    assert found.outcomes == ("False", "True")


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "stateful", "exhaustive"])
def test_a_daemon_is_told_from_a_thread_that_has_to_end(algorithm: str) -> None:
    @mcr.program
    def one_way(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def child():
            p.wait_until(lambda: y.load() == 1)

        def main():
            p.spawn(child, daemon=x.load() == 0)

        p.thread(main)
        p.thread(x.store, 1)

    with pytest.raises(ModelError, match="a daemon on one way and none on another"):
        mcr.check(one_way, "sc", algorithm=algorithm)
