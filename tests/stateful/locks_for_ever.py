"""Locks and buffers that are used for ever: each thread goes round, and asserts that all is in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.frontend.program import Program

PROGRAMS: dict[str, Program] = {}

FAILS_UNDER: dict[str, str] = {}
"""The memory models under which a program fails."""


def fails_under(models: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Program(function)
        FAILS_UNDER[function.__name__] = models
        return function

    return add


def _alone(p):
    inside = p.var("inside", 0)

    def critical():
        assert inside.fetch_add(1) == 0, "two are inside"
        inside.fetch_add(-1)

    return critical


@fails_under("pso")
def peterson(p):
    flags, turn, critical = p.array("flags", [False, False]), p.var("turn", 0), _alone(p)

    def thread(me):
        while True:
            flags[me].store(True)
            turn.store(1 - me)
            p.fence()
            while flags[1 - me].load() and turn.load() == 1 - me:
                pass
            critical()
            flags[me].store(False)

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("")
def dekker(p):
    wants, turn, critical = p.array("wants", [False, False]), p.var("turn", 0), _alone(p)

    def thread(me):
        while True:
            wants[me].store(True)
            p.fence()
            while wants[1 - me].load():
                if turn.load() != me:
                    wants[me].store(False)
                    while turn.load() != me:
                        pass
                    wants[me].store(True)
                    p.fence()
            critical()
            turn.store(1 - me)
            p.fence()
            wants[me].store(False)

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("tso pso")
def dekker_without_fences(p):
    wants, critical = p.array("wants", [False, False]), _alone(p)

    def thread(me):
        while True:
            wants[me].store(True)
            if not wants[1 - me].load():
                critical()
            wants[me].store(False)
            p.fence()

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("")
def clh(p):
    """Each takes the cell of the one before it with it; there is one more cell than threads."""
    waits = p.array("waits", [False] * 3)
    tail, critical = p.var("tail", 2), _alone(p)

    def thread(mine):
        while True:
            waits[mine].store(True)
            before = tail.exchange(mine)
            while waits[before].load():
                pass
            critical()
            waits[mine].store(False)
            mine = before

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("")
def mcs(p):
    waits, following = p.array("waits", [False] * 2), p.array("following", [None] * 2)
    tail, critical = p.var("tail", None), _alone(p)

    def thread(me):
        while True:
            following[me].store(None)
            before = tail.exchange(me)
            if before is not None:
                waits[me].store(True)
                p.store_fence()
                following[before].store(me)
                while waits[me].load():
                    pass
            critical()
            if following[me].load() is None:
                if tail.compare_exchange(me, None):
                    continue
                while following[me].load() is None:
                    pass
            waits[following[me].load()].store(False)

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("sc tso pso")
def seqlock(p):
    """Its number comes round: who sleeps for two rounds of the writer does not notice."""
    number, x, y = p.var("number", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        value = 0
        while True:
            value = (value + 1) % 2
            number.store(number.load() + 1 & 3)
            p.store_fence()
            x.store(value)
            y.store(value)
            p.store_fence()
            number.store(number.load() + 1 & 3)
            p.fence()

    def reader():
        while True:
            before = number.load()
            if before % 2:
                continue
            a, b = x.load(), y.load()
            if number.load() == before:
                assert a == b, "half a write was read"

    p.thread(writer)
    p.thread(reader)


@fails_under("pso")
def bounded_buffer(p, size=3):
    """One puts and one takes, without a fence between an item and the word that it is there."""
    items, first, last = p.array("items", [None] * size), p.var("first", 0), p.var("last", 0)

    def producer():
        place = 0
        while True:
            following = (place + 1) % size
            while following == first.load():
                pass
            items[place].store(place)
            last.store(following)
            place = following

    def consumer():
        place = 0
        while True:
            while last.load() == place:
                pass
            assert items[place].load() == place, "not what was put"
            place = (place + 1) % size
            first.store(place)

    p.thread(producer)
    p.thread(consumer)


@fails_under("")
def work_queue(p):
    todo, at_work = p.queue(2), p.var("at_work", 0)

    def boss():
        while True:
            todo.put("work")

    def worker():
        while True:
            assert todo.get() == "work"
            assert at_work.fetch_add(1) < 2
            at_work.fetch_add(-1)
            todo.task_done()

    p.thread(boss)
    p.thread(worker)
    p.thread(worker)
