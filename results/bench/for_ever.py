"""Locks and buffers that are used for ever: each thread goes round, and asserts that all is in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.frontend.program import Program

FAILS_UNDER: dict[Program, str] = {}
"""Every program, and the memory models under which it fails."""


def fails_under(models: str) -> Callable[[Callable[..., Any]], Program]:
    def add(function: Callable[..., Any]) -> Program:
        program = Program(function)
        FAILS_UNDER[program] = models
        return program

    return add


def _alone(p, cells=1):
    """What nobody may do while another one does it."""
    inside = p.array("inside", [0] * cells)

    def critical():
        for cell in inside:
            assert cell.fetch_add(1) == 0, "two are inside"
        for cell in inside:
            cell.fetch_add(-1)

    return critical


@fails_under("pso")
def peterson(p, cells=1):
    flags, turn, critical = p.array("flags", [False, False]), p.var("turn", 0), _alone(p, cells)

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
def dekker(p, cells=1):
    wants, turn, critical = p.array("wants", [False, False]), p.var("turn", 0), _alone(p, cells)

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
def bakery(p, cells=1):
    """Of two, whose numbers come round: after 3 comes 1."""
    choosing, number = p.array("choosing", [False, False]), p.array("number", [0, 0])
    critical = _alone(p, cells)

    def thread(me):
        other = 1 - me
        while True:
            choosing[me].store(True)
            p.fence()
            mine = number[other].load() % 3 + 1
            number[me].store(mine)
            p.store_fence()
            choosing[me].store(False)
            p.fence()
            while choosing[other].load():
                pass
            while (its := number[other].load()) and (its % 3 + 1 == mine or (its, other) == (mine, 0)):
                pass
            critical()
            number[me].store(0)

    p.thread(thread, 0)
    p.thread(thread, 1)


@fails_under("")
def clh(p, n=2):
    """Each takes the cell of the one before it with it; there is one more cell than threads."""
    waits = p.array("waits", [False] * (n + 1))
    tail, critical = p.var("tail", n), _alone(p)

    def thread(mine):
        while True:
            waits[mine].store(True)
            before = tail.exchange(mine)
            while waits[before].load():
                pass
            critical()
            waits[mine].store(False)
            mine = before

    for number in range(n):
        p.thread(thread, number)


@fails_under("")
def mcs(p, n=2):
    waits, following = p.array("waits", [False] * n), p.array("following", [None] * n)
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

    for number in range(n):
        p.thread(thread, number)


@fails_under("")
def spin_lock(p, n=2):
    """Looks before it takes."""
    taken, critical = p.var("taken", False), _alone(p)

    def thread():
        while True:
            while taken.load() or taken.exchange(True):
                pass
            critical()
            taken.store(False)

    for _ in range(n):
        p.thread(thread)


@fails_under("sc tso pso")
def seqlock_for_ever(p, readers=1):
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
    for _ in range(readers):
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
def work_queue(p, workers=2):
    todo, at_work = p.queue(2), p.var("at_work", 0)

    def boss():
        while True:
            todo.put("work")

    def worker():
        while True:
            assert todo.get() == "work"
            assert at_work.fetch_add(1) < workers
            at_work.fetch_add(-1)
            todo.task_done()

    p.thread(boss)
    for _ in range(workers):
        p.thread(worker)


@fails_under("")
def token_ring(p, n=3):
    """Who has the token works, and gives it to the next."""
    token, critical = p.array("token", [True] + [False] * (n - 1)), _alone(p)

    def thread(me):
        while True:
            while not token[me].load():
                pass
            token[me].store(False)
            critical()
            token[(me + 1) % n].store(True)

    for number in range(n):
        p.thread(thread, number)
