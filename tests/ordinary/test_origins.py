"""Objects made by running code are its own; older ones are of the host, and memory once threads change them."""

from __future__ import annotations

import gc
import types

import mcr
from replay.interpreter import origins
from tests.ordinary.test_objects import outcomes


def _counter():
    count = 0

    def up():
        nonlocal count

        def add():
            nonlocal count
            count += 1
            return count

        return add()

    return up


up = _counter()


def test_a_variable_of_the_host_is_one_for_all_in_functions_that_threads_make():
    @mcr.program
    def counting(p):
        p.share([])
        threads = [p.thread(up) for _ in range(2)]
        p.final(lambda: sorted(thread.join() for thread in threads))

    assert outcomes(counting) == {"[1, 1]", "[1, 2]", "[2, 2]"}
    assert up() == 1


def test_a_variable_of_a_function_that_a_thread_makes_is_its_own():
    @mcr.program
    def counting(p):
        p.share([])
        threads = [p.thread(lambda: (_counter()(), _counter()())) for _ in range(2)]
        p.final(lambda: sorted(thread.join() for thread in threads))

    assert outcomes(counting) == {"[(1, 1), (1, 1)]"}


class Meta(type):
    pass


def test_a_class_that_a_thread_makes_is_its_own():
    def made():
        kinds = [Meta("Kind", (), {"count": 0}), type("Kind", (), {"count": 0}), types.new_class("Kind")]
        for kind in kinds:
            kind.count = getattr(kind, "count", 0) + 1
        return tuple(kind.count for kind in kinds)

    @mcr.program
    def counting(p):
        p.share([])
        threads = [p.thread(made) for _ in range(2)]
        p.final(lambda: [thread.join() for thread in threads])

    assert outcomes(counting) == {"[(1, 1, 1), (1, 1, 1)]"}


def test_what_is_gone_is_noted_no_more():
    def making():
        return [(lambda: number)() for number in range(20)] and None

    @mcr.program
    def makes(p):
        p.share([])
        p.thread(making)

    mcr.check(makes, "sc")
    gc.collect()
    before = len(origins._made)
    for _ in range(3):
        mcr.check(makes, "sc")
    gc.collect()
    assert len(origins._made) <= before


class Counted:
    def __init__(self):
        self.state = types.SimpleNamespace(count=0, inner=types.SimpleNamespace(name="a"))

    def add(self):
        self.state.count += 1
        return self.state.inner.name

    def replace(self):
        self.state = types.SimpleNamespace(count=10)


def test_a_simple_namespace_is_shared_with_what_it_holds():
    @mcr.program
    def counting(p):
        counted = p.share(Counted())
        threads = [p.thread(counted.add) for _ in range(2)]
        p.final(lambda: (counted.state.count, *(thread.join() for thread in threads)))

    @mcr.program
    def replacing(p):
        counted = p.share(Counted())
        p.thread(counted.replace)
        p.final(lambda: counted.state.count)

    assert outcomes(counting) == {"(1, 'a', 'a')", "(2, 'a', 'a')"}
    assert outcomes(replacing) == {"10"}
