"""Programs of which code on terms was wrong: it told terms from numbers, lost a run, or ended in a mistake of ours."""

from __future__ import annotations

import copy
import functools
import json
import operator
from collections.abc import Callable
from typing import Any

import mcr

LARGEST = {3: 21, 4: 55}


def _fib(p: mcr.Declarations, n: int, look: Callable[[Any], object]) -> None:
    i, j = p.var("i", 1), p.var("j", 1)

    def add(mine: Any, other: Any) -> None:
        for _ in range(n):
            mine.store(mine.load() + other.load())

    p.thread(add, i, j)
    p.thread(add, j, i)

    @p.final
    def bounded() -> None:
        look(max(i.load(), j.load()))


@mcr.program
def c_code_needs_a_number(p):
    """Code in C raises TypeError for terms only."""

    def t():
        v = p.integer(0, 1_001)
        json.dumps({"v": v})
        assert v != 7

    p.thread(t)


@mcr.program
def name_of_the_type(p):
    def t():
        v = p.integer(0, 1_001)
        if type(v).__name__ == "int":
            assert v != 7

    p.thread(t)


@mcr.program
def name_of_the_type_later(p, n=3):
    def look(v):
        if type(v).__name__ == "int":
            assert v < LARGEST[n]

    _fib(p, n, look)


@mcr.program
def identity_of_a_bool(p, n=4):
    wrong = False

    def look(v):
        ok = v < LARGEST[n]
        assert ok is not wrong

    _fib(p, n, look)


@mcr.program
def int_add(p):
    x = p.var("x", 0)

    def t():
        v = x.load()
        try:
            v = int.__add__(v, 1)
        except TypeError:
            return
        assert v != 2

    p.thread(t)
    p.thread(x.store, 1)


@mcr.program
def failing_run_is_lost(p, n=3):
    """A run that fails is told before code on terms goes on with it."""
    z = p.var("z", 0)

    def look(v):
        if v >= LARGEST[n]:
            copy.copy(v)
            raise AssertionError("the largest")

    _fib(p, n, look)

    def long():
        for _ in range(201):
            z.load()

    p.thread(long)


@mcr.program
def semaphore_under_a_mutex(p):
    s, m = p.semaphore(1), p.mutex("m")

    def t():
        with m:
            s.acquire()

    p.thread(t)


@mcr.program
def spin_that_counts(p, bad=3):
    x = p.var("x", 0)

    def reader():
        n = 0
        while x.load() < 1:
            n += 1
        assert n < bad

    p.thread(x.store, 1)
    p.thread(reader)


@mcr.program
def spin_that_returns(p):
    """Values tell that it goes round for ever, terms do not."""
    x = p.var("x", 0)

    def waiter():
        tries = 0
        while x.load() == 0:
            tries += 1
        return tries > 5

    p.thread(x.store, 1)
    p.thread(waiter)


@mcr.program
def subtract_until_equal(p, first=4, second=2):
    a, b, m = p.var("a", first), p.var("b", second), p.mutex("m")

    def reduce(mine, other):
        while mine.load() != other.load():
            with m:
                if mine.load() > other.load():
                    mine.store(mine.load() - other.load())

    p.thread(reduce, a, b)
    p.thread(reduce, b, a)


@functools.cache
def _square(v):
    return v * v


@mcr.program
def terms_in_a_cache(p):
    """What is remembered outlives the exploration."""

    def t():
        v = p.integer(0, 1_001)
        assert _square(v) != 49

    p.thread(t)


@mcr.program
def wide_input(p):
    def t():
        assert p.integer(0, 2**64) != 5

    p.thread(t)


@mcr.program
def value_of_a_store(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def first():
        return y.load()

    def second():
        m = max(x.load(), 1)
        y.exchange(2)
        return m

    def third():
        y.store(x.load() + 1)
        x.store(1)

    threads = [p.thread(t) for t in (first, second, third)]

    @p.final
    def end():
        assert repr((*[t.join() for t in threads], x.load(), y.load())) != "nope"


@mcr.program
def set_of_a_term(p):
    z = p.var("z", 0)

    def t():
        k = set()
        k.add(max(z.load(), 0))
        if z.load():
            k.add(5)

    p.thread(t)
    p.thread(lambda: z.fetch_add(1))


@mcr.program
def power(p):
    def t():
        v = p.integer(0, 10**6)
        assert v**3000 >= 0

    p.thread(t)


@mcr.program
def long_range(p):
    def t():
        v = p.integer(0, 10**7)
        assert v in range(10**7 + 1)

    p.thread(t)


@mcr.program
def identity_of_a_comparison(p):
    x = p.var("x", 0)

    def t():
        assert not operator.is_(x.load() == 2, True)

    p.thread(t)
    p.thread(x.store, 2)


@mcr.program
def update_in_c(p):
    """An update, and what a thread runs, may be code in C as well."""
    x, y = p.var("x", 0), p.var("y", 0)

    def t():
        x.update(int.__neg__)
        y.update(operator.neg)
        p.spawn(json.dumps, x.load()).join()
        assert x.load() + y.load() != -2

    p.thread(t)
    p.thread(lambda: (x.store(1), y.store(1)))


@mcr.program
def in_a_frozen_set(p):
    """What memory holds is hashed where no thread runs."""
    x, y = p.var("x", 0), p.var("y", frozenset())

    def t():
        y.store(frozenset([x.load(), 5]))
        assert y.load() != {5, 1}

    p.thread(t)
    p.thread(x.store, 1)


BUG, VERIFIED, INCOMPLETE = mcr.Verdict.BUG, mcr.Verdict.VERIFIED, mcr.Verdict.INCOMPLETE

VERDICTS: dict[mcr.Program, mcr.Verdict] = {
    c_code_needs_a_number: BUG,
    name_of_the_type: BUG,
    name_of_the_type_later: BUG,
    identity_of_a_bool: BUG,
    int_add: BUG,
    failing_run_is_lost: BUG,
    semaphore_under_a_mutex: VERIFIED,
    spin_that_counts: BUG,
    spin_that_returns: INCOMPLETE,
    subtract_until_equal: INCOMPLETE,
    terms_in_a_cache: BUG,
    wide_input: BUG,
    value_of_a_store: VERIFIED,
    set_of_a_term: VERIFIED,
    power: INCOMPLETE,
    long_range: VERIFIED,
    identity_of_a_comparison: BUG,
    update_in_c: BUG,
    in_a_frozen_set: BUG,
}
"""What is right; loops that go round with a lock are cut, and inputs that have to be tried one by one are too many."""

BY_GLOBAL_STATES = {subtract_until_equal: VERIFIED}
"""Loops without end on values are none on global states, which the default explores as well."""
