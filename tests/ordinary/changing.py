"""Programs whose threads change what was there before: attributes of classes, global variables, lists, closures."""

from __future__ import annotations

import threading
from collections.abc import Callable

import mcr

level = 0
items: list[int] = []


class Counter:
    total = 0

    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        Counter.total += 1
        self.n += 1


class Flag:
    ready = False
    value = 0


def _run_twice(p: mcr.Declarations, run: Callable[[], None], is_right: Callable[[], bool]) -> None:
    p.thread(run)
    p.thread(run)

    @p.final
    def final() -> None:
        assert is_right()


@mcr.program
def lost_of_class(p):
    counter = p.share(Counter(), "counter")
    _run_twice(p, lambda: counter.add(), lambda: Counter.total == 2)


@mcr.program
def kept_of_class(p):
    counter, lock = p.share(Counter(), "counter"), threading.Lock()

    def run():
        with lock:
            counter.add()

    _run_twice(p, run, lambda: Counter.total == 2 and counter.n == 2)


@mcr.program
def lost_of_module(p):
    p.share(Counter(), "counter")

    def run():
        global level
        level += 1

    _run_twice(p, run, lambda: level == 2)


@mcr.program
def kept_of_module(p):
    p.share(Counter(), "counter")
    lock = threading.Lock()

    def run():
        global level
        with lock:
            level += 1

    _run_twice(p, run, lambda: level == 2)


@mcr.program
def lost_of_list(p):
    p.share(Counter(), "counter")

    def run():
        if not items:
            items.append(1)

    _run_twice(p, run, lambda: len(items) == 1)


@mcr.program
def kept_of_list(p):
    p.share(Counter(), "counter")
    _run_twice(p, lambda: items.append(1), lambda: items == [1, 1])


@mcr.program
def lost_of_closure(p):
    p.share(Counter(), "counter")
    count = 0

    def run():
        nonlocal count
        count += 1

    _run_twice(p, run, lambda: count == 2)


@mcr.program
def lost_of_function(p):
    p.share(Counter(), "counter")

    def run():
        run.count = getattr(run, "count", 0) + 1

    _run_twice(p, run, lambda: run.count == 2)


@mcr.program
def kept_by_waiting(p):
    p.share(Counter(), "counter")

    def write():
        Flag.value = 5
        Flag.ready = True

    def read():
        while not Flag.ready:
            pass
        assert Flag.value == 5

    p.thread(write)
    p.thread(read)


@mcr.program
def lost_before_all_is_known(p):
    """It fails before a thread has changed all that the threads may change."""
    counter = p.share(Counter(), "counter")

    def first():
        Flag.value += 1
        if counter.n == 1:
            Counter.total = 7
        assert level == 0 or Counter.total == 7

    def second():
        global level
        counter.n = 1
        Flag.value += 1
        level = 1

    p.thread(first)
    p.thread(second)


@mcr.program
def kept_with_own_memory(p):
    p.share(Counter(), "counter")
    x, y = p.var("x", 0), p.var("y", 0)

    def one():
        x.store(1)
        Flag.value += 1
        return y.load()

    def two():
        y.store(1)
        Flag.value += 1
        return x.load()

    p.thread(one)
    p.thread(two)


class Tally:
    """The total is of the class, and its methods change it."""

    total = 0

    def add(self) -> int:
        Tally.total += 1
        return Tally.total

    def get(self) -> int:
        return Tally.total


class LockedTally:
    total = 0

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def add(self) -> int:
        with self.lock:
            LockedTally.total += 1
            return LockedTally.total

    def get(self) -> int:
        with self.lock:
            return LockedTally.total
