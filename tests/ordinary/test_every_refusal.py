"""Refusals that no other test reaches; `results/refusals.md` has all of them with their sentences."""

from __future__ import annotations

import contextvars
import copy
import itertools
import pickle
import threading
from collections import OrderedDict
from decimal import Decimal

import pytest

import mcr
from tests.ordinary.test_objects import outcomes


class Empty:
    __slots__ = ("__weakref__",)


class Lasting:
    steps = (each for each in ())

    def go(self):
        Lasting.steps = None


class Odd:
    def __init__(self):
        self.items = [1]
        self.order = OrderedDict(a=1)
        self.numbers = itertools.count()
        self.own = threading.local()
        self.kept = None

    def taken_before(self):
        made = []
        add = made.append
        self.items = made
        add(1)
        return len(self.items)

    def begun_again(self):
        self.items.__init__([2])

    def pickled(self):
        pickle.dumps(self.items)

    def counter_copied(self):
        copy.copy(self.numbers)

    def taken_from_another_class(self):
        return dict.get(self.order, "a")

    def context(self):
        self.kept = contextvars.ContextVar("kept")

    def counting(self):
        self.kept = itertools.count()
        return next(self.kept)


IN_THREADS = {
    "begun_again": "it.items is shared, and its __init__ is called once more",
    "pickled": "it.items is shared, and cannot be copied or pickled as a whole: copy what it holds",
    "counter_copied": "it.numbers counts for others as well, and cannot be copied",
    "context": "kept is a ContextVar that a thread has made: make it in the program function",
}

ON_FRAMES = {
    "taken_before": {"(1, 1)", "(0, 1)", "(1, 0)"},
    "taken_from_another_class": {"(1, 1)"},
    "counting": {"(0, 1)", "(1, 0)", "(0, 0)"},
}
"""What two threads find that do what mcr sees."""


@pytest.mark.parametrize("way", [*IN_THREADS, *ON_FRAMES])
def test_what_a_thread_does(way):
    @mcr.program
    def refused(p):
        it = p.share(Odd())
        threads = [p.thread(getattr(it, way)) for _ in range(2)]
        p.final(lambda: tuple(thread.join() for thread in threads))

    if way in ON_FRAMES:
        assert outcomes(refused) == ON_FRAMES[way]
        return
    with pytest.raises(mcr.ModelError) as error:
        mcr.check(refused, "sc")
    assert IN_THREADS[way] in error.value.message.replace("it.items.list", "it.items")


def an_ordered_dict_with_attributes(p):
    table = OrderedDict()
    table.size = 1
    p.share(table)
    return lambda: None


def nothing_in_it(p):
    it = p.share(Empty())
    return lambda: hasattr(it, "x")


def a_counter_of_decimals(p):
    it = p.share([itertools.count(Decimal(1))])
    return lambda: str(next(it[0]))


def what_each_thread_has(p):
    it = p.share(Odd())
    it.own.size = 1
    return lambda: getattr(it.own, "size", 0)


def _counting():
    total = 0

    def work():
        nonlocal total
        total += 1
        return total

    return work


def a_function_twice(p):
    work = _counting()
    p.share(work)
    p.share(work)
    return work


def what_cannot_be_copied(p):
    p.thread(p.share(Lasting()).go)
    return lambda: None


IN_THE_PROGRAM = {
    an_ordered_dict_with_attributes: "OrderedDict with attributes of its own cannot be shared: make a class of it",
    what_cannot_be_copied: "is a generator, which cannot be shared: nobody can see what it holds",
}

FOUND = {
    nothing_in_it: {"(False, False)"},
    a_counter_of_decimals: {"('1', '2')", "('2', '1')"},
    what_each_thread_has: {"(0, 0)"},
    a_function_twice: {"(1, 1)", "(1, 2)", "(2, 1)", "(2, 2)"},
}
"""What two threads find where mcr sees it."""


@pytest.mark.parametrize("function", [*IN_THE_PROGRAM, *FOUND], ids=lambda function: function.__name__)
def test_what_the_program_function_does(function):
    def program(p):
        work = function(p)
        threads = [p.thread(work) for _ in range(2)]
        p.final(lambda: tuple(thread.join() for thread in threads))

    if function in FOUND:
        assert outcomes(mcr.program(program)) == FOUND[function]
        return
    with pytest.raises(mcr.ModelError) as error:
        mcr.check(mcr.program(program), "sc")
    assert IN_THE_PROGRAM[function] in error.value.message
