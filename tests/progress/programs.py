"""Programs with the runs without end that they have: locks that a thread takes once, and another one for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK, LIVELOCK, STARVATION

PROGRESS: dict[Program, str] = {}
"""Each program, and what is found under every memory model: "" if every fair run comes to its end."""


def shows(error: str) -> Callable[[Callable[..., Any]], Program]:
    def add(function: Callable[..., Any]) -> Program:
        program = Program(function)
        PROGRESS[program] = error
        return program

    return add


def _served(p, enter, leave):
    """Thread 0 gets in once, thread 1 again and again."""

    def once():
        enter(0)
        leave(0)

    def for_ever():
        while True:
            enter(1)
            leave(1)

    p.thread(once)
    p.thread(for_ever, daemon=True)


@shows(STARVATION)
def snatched(p):
    """Who is quicker has the lock."""
    taken = p.var("taken", False)

    def enter(me):
        while taken.exchange(True):
            pass

    _served(p, enter, lambda me: taken.store(False))


@shows(STARVATION)
def looked_at_first(p):
    taken = p.var("taken", False)

    def enter(me):
        while taken.load() or taken.exchange(True):
            pass

    _served(p, enter, lambda me: taken.store(False))


@shows(STARVATION)
def mutex(p):
    """Weak fairness gives nobody a mutex that is free now and then."""
    lock = p.mutex("lock")
    _served(p, lambda me: lock.lock(), lambda me: lock.unlock())


@shows("")
def tickets(p):
    following, served = p.var("following", 0), p.var("served", 0)
    mine = [p.var("mine0", 0), p.var("mine1", 0)]

    def enter(me):
        ticket = following.update(lambda number: (number + 1) % 2)
        mine[me].store(ticket)
        while served.load() != ticket:
            pass

    _served(p, enter, lambda me: served.store((mine[me].load() + 1) % 2))


@shows("")
def peterson(p):
    wants, turn = p.array("wants", [False, False]), p.var("turn", 0)

    def enter(me):
        wants[me].store(True)
        p.store_fence()
        turn.store(1 - me)
        p.fence()
        while wants[1 - me].load() and turn.load() == 1 - me:
            pass

    _served(p, enter, lambda me: wants[me].store(False))


@shows("")
def dekker(p):
    wants, turn = p.array("wants", [False, False]), p.var("turn", 0)

    def enter(me):
        wants[me].store(True)
        p.fence()
        while wants[1 - me].load():
            if turn.load() != me:
                wants[me].store(False)
                while turn.load() != me:
                    pass
                wants[me].store(True)
                p.fence()

    def leave(me):
        turn.store(1 - me)
        p.store_fence()
        wants[me].store(False)

    _served(p, enter, leave)


@shows("")
def bakery(p):
    """Of two, whose numbers come round: after 3 comes 1."""
    choosing, number = p.array("choosing", [False, False]), p.array("number", [0, 0])

    def enter(me):
        other = 1 - me
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

    _served(p, enter, lambda me: number[me].store(0))


@shows("")
def clh(p):
    waits, tail = p.array("waits", [False, False, False]), p.var("tail", 2)

    def thread(mine, rounds):
        while rounds:
            waits[mine].store(True)
            before = tail.exchange(mine)
            while waits[before].load():
                pass
            waits[mine].store(False)
            mine, rounds = before, rounds - 1 if rounds < 2 else 2

    p.thread(thread, 0, 1)
    p.thread(thread, 1, 2, daemon=True)


@shows("")
def mcs(p):
    waits, following, tail = p.array("waits", [False, False]), p.array("following", [None, None]), p.var("tail", None)

    def enter(me):
        following[me].store(None)
        before = tail.exchange(me)
        if before is not None:
            waits[me].store(True)
            p.store_fence()
            following[before].store(me)
            while waits[me].load():
                pass

    def leave(me):
        if following[me].load() is None:
            if tail.compare_exchange(me, None):
                return
            while following[me].load() is None:
                pass
        waits[following[me].load()].store(False)

    _served(p, enter, leave)


@shows(STARVATION)
def seqlock(p):
    """Who reads may try in vain for ever."""
    number, x, y = p.var("number", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        value = 0
        while True:
            value = 1 - value
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
            x.load(), y.load()
            if number.load() == before:
                return

    p.thread(reader)
    p.thread(writer, daemon=True)


@shows("")
def bounded_buffer(p):
    """Three items through a buffer of two places, and a consumer that serves for ever."""
    items, first, last = p.array("items", [None] * 2), p.var("first", 0), p.var("last", 0)

    def producer():
        for number in range(3):
            while (last.load() + 1) % 4 == (first.load() + 3) % 4:
                pass
            items[number % 2].store(number)
            p.store_fence()
            last.store(number + 1)

    def consumer():
        place = 0
        while True:
            while last.load() == place:
                pass
            items[place % 2].load()
            place = (place + 1) % 4
            first.store(place)
            p.fence()

    p.thread(producer)
    p.thread(consumer, daemon=True)


@shows("")
def work_queue(p):
    """Who gives out work waits until all of it is done."""
    todo = p.queue("todo", 2)

    def boss():
        for _ in range(3):
            todo.put("work")
        todo.join()

    def worker():
        while True:
            todo.get()
            todo.task_done()

    p.thread(boss)
    p.thread(worker, daemon=True)
    p.thread(worker, daemon=True)


@shows(LIVELOCK)
def door(p):
    inside = p.array("inside", [False, False])

    def person(me):
        while True:
            inside[me].store(True)
            p.fence()
            if not inside[1 - me].load():
                return
            inside[me].store(False)
            p.fence()

    p.thread(person, 0)
    p.thread(person, 1)


@shows(LIVELOCK)
def looks_under_a_mutex(p):
    """To take a mutex and give it back changes memory, though nothing else comes of it."""
    lock, ready = p.mutex("lock"), p.var("ready", False)

    def polls():
        while True:
            with lock:
                if ready.load():
                    return

    p.thread(polls)


@shows(DEADLOCK)
def only_looks(p):
    ready = p.var("ready", False)

    def polls():
        while not ready.load():
            pass

    p.thread(polls)


@shows("")
def waits_for_a_store_in_a_buffer(p):
    """A buffered store reaches memory some time."""
    ready = p.var("ready", False)

    def polls():
        while not ready.load():
            pass

    def tells():
        ready.store(True)
        while True:
            ready.load()

    p.thread(polls)
    p.thread(tells, daemon=True)
