"""What Dartagnan's own tests of liveness ask under TSO, written as models, and what they expect.

From its repository (hernanponcedeleon/Dat3M, LivenessTest, its benchmarks "locks" and "nontermination"), all
30 rows for TSO. Variants of a lock that relax an acquire or a release (-acq2rx, -rel2rx) differ in C; compiled for x86
they are the same. A sequentially consistent store of C is a store with a fence behind it. Threads as there, but for
`seqlock`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import mcr
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK, LIVELOCK
from results.known import Known, known, written_tables
from results.made import made_by


class Row(NamedTuple):
    """A program, for how many rows of theirs it stands, what they expect, and what we find; "" if all is well."""

    program: Program
    rows: int
    theirs: str
    ours: str


ROWS: list[Row] = []


def row(rows: int, theirs: str, ours: str = "") -> Callable[[Callable[..., Any]], Program]:
    def add(function: Callable[..., Any]) -> Program:
        ROWS.append(Row(Program(function), rows, theirs, ours))
        return ROWS[-1].program

    return add


def _once(p, acquire, release, threads=3):
    """Each thread writes, reads what it wrote, and counts, all under the lock."""
    shared, total = p.var("shared", 0), p.var("total", 0)

    def thread(me):
        acquire()
        shared.store(me)
        assert shared.load() == me
        total.store(total.load() + 1)
        release()

    for number in range(threads):
        p.thread(thread, number)


@row(3, "UNKNOWN")
def ttas(p):
    state = p.var("state", 0)

    def acquire():
        while True:
            while state.load():
                pass
            if not state.exchange(1):
                return

    _once(p, acquire, lambda: state.store(0))


@row(3, "PASS")
def ticketlock(p):
    following, owner = p.var("following", 0), p.var("owner", 0)

    def acquire():
        ticket = following.fetch_add(1)
        while owner.load() != ticket:
            pass

    _once(p, acquire, lambda: owner.store(owner.load() + 1))


@row(3, "PASS")
def spinlock(p):
    lock = p.var("lock", 0)

    def acquire():
        while True:
            while lock.load():
                pass
            if lock.compare_exchange(0, 1):
                return

    _once(p, acquire, lambda: lock.store(0))


def _futex(p):
    """A futex as their tests have it: a number that wakes whoever waits for it to change."""
    signal = p.var("signal", 0)

    def wait(cell, value):
        before = signal.load()
        if cell.load() == value:
            while signal.load() == before:
                pass

    return wait, lambda: signal.fetch_add(1)


@row(5, "UNKNOWN")
def mutex(p):
    state, (wait, wake) = p.var("state", 0), _futex(p)

    def acquire():
        if state.compare_exchange(0, 1):
            return
        while True:
            state.compare_exchange(1, 2)
            wait(state, 2)
            if state.compare_exchange(0, 2):
                return

    def release():
        if not state.compare_exchange(1, 0):
            state.store(0)
            wake()

    _once(p, acquire, release)


@row(5, "UNKNOWN")
def mutex_musl(p):
    lock, waiters, (wait, wake) = p.var("lock", 0), p.var("waiters", 0), _futex(p)

    def acquire():
        if lock.compare_exchange(0, 1):
            return
        while not lock.compare_exchange(0, 1):
            waiters.fetch_add(1)
            if not lock.compare_exchange(1, 2):
                wait(lock, 2)
            waiters.fetch_add(-1)

    def release():
        before = lock.exchange(0)
        if waiters.load() > 0 or before != 1:
            wake()

    _once(p, acquire, release)


@row(3, "UNKNOWN")
def linuxrwlock(p):
    """One reads, one writes, one does both."""
    bias = 16
    lock, shared = p.var("lock", bias), p.var("shared", 0)

    def enter(share, may):
        before = lock.fetch_add(-share)
        while not may(before):
            lock.fetch_add(share)
            while not may(lock.load()):
                pass
            before = lock.fetch_add(-share)

    def read():
        enter(1, lambda value: value > 0)
        assert shared.load() == shared.load()
        lock.fetch_add(1)

    def write():
        enter(bias, lambda value: value == bias)
        shared.store(42)
        assert shared.load() == 42
        lock.fetch_add(bias)

    def both():
        read()
        write()

    p.thread(read)
    p.thread(write)
    p.thread(both)


@row(1, "PASS")
def seqlock(p):
    """With one reader, where theirs has three."""
    number, data = p.var("number", 0), p.var("data", 0)

    def read():
        while True:
            before = number.load()
            if before % 2:
                continue
            found = data.load()
            if number.load() == before:
                return found

    def write(value):
        while True:
            before = number.load()
            if before % 2 == 0 and number.compare_exchange(before, before + 1):
                break
        data.store(value)
        assert data.load() == value
        number.fetch_add(1)

    def reader():
        assert read() <= read()

    def writer(value):
        write(value)
        if value < 3:
            p.spawn(writer, value + 1)

    p.thread(reader)
    p.thread(writer, 1)


@row(1, "FAIL", DEADLOCK)
def deadlock(p):
    """A mutex that nobody gives back."""
    lock = p.mutex("lock")
    p.thread(lock.lock)
    p.thread(lock.lock)


@row(1, "UNKNOWN")
def nontermination_sanity(p):
    """A loop of eleven rounds, which their bound of two does not go through."""

    def counts():
        number = 0
        while not number > 10:
            number += 1

    p.thread(counts)


@row(1, "FAIL", LIVELOCK)
def nontermination(p):
    """One sees one of two values for ever, though the other one is there again and again."""
    x, y = p.var("x", 0), p.var("y", 0)

    def swings():
        while y.load() != 1:
            x.store(1)
            p.fence()
            x.store(2)
            p.fence()

    def waits():
        while x.load() != 2:
            pass
        y.store(1)

    p.thread(swings)
    p.thread(waits)


@row(1, "FAIL", DEADLOCK)
def nontermination_xchg(p):
    """Who swaps what is there for the same only looks: that is a thread that waits."""
    lock = p.var("lock", 0)

    def spins():
        while lock.exchange(1) != 0:
            pass

    p.thread(spins)
    p.thread(lambda: lock.exchange(1) and None)


@row(1, "FAIL", LIVELOCK)
def nontermination_zero_effect(p):
    """Adds and takes away again, on a lock that is taken for good."""
    lock = p.var("lock", 1)

    def thread():
        while lock.fetch_add(1) != 0:
            lock.fetch_add(-1)
        lock.fetch_add(-1)

    for _ in range(3):
        p.thread(thread)


@row(1, "FAIL", LIVELOCK)
def nontermination_complex(p):
    """Three loops that end in pairs, and go on for ever together."""
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

    def one():
        while y.load() != 1:
            x.store(1)
            x.store(0)
            y.store(1)

    def two():
        while x.load() == 1 and y.load() != 0 and z.load() != 3:
            for number in range(4):
                z.store(number)

    def three():
        while z.load() == 1:
            y.store(0)
            z.store(0)

    p.thread(one)
    p.thread(two)
    p.thread(three)


@row(1, "PASS")
def nontermination_weak(p):
    """A message is sent until it is seen. A fence in each round, as buffers have an end here."""
    x, signal, success = p.var("x", 0), p.var("signal", 0), p.var("success", 0)

    def sends():
        while not success.load():
            x.store(1)
            signal.store(1)
            p.fence()

    def receives():
        while signal.load() == 1 and x.load() == 0:
            x.store(0)
            signal.store(0)
            p.fence()
        success.store(1)

    p.thread(sends)
    p.thread(receives)


_HEAD = """\
# Liveness beside Dartagnan

The 30 rows for TSO of Dartagnan's own tests of liveness
(LivenessTest of hernanponcedeleon/Dat3M, bound 2), as models, by `mcr check --model tso --objective progress`.

{made}

| program | rows of theirs | theirs | ours | global states | s (processor) |
|---|---|---|---|---|---|
"""

_WHY = """
Where they decide a row, the answers agree. They leave 17 rows open, as a loop is not done within their bound. Loops
have none here, and each of these programs makes progress: under weak fairness a thread that retries gets in once the
others are done, as each takes the lock a finite number of times. `deadlock`, and `nontermination_xchg`, whose loop puts
back what it found, are called deadlocks here: nothing changes any more. `nontermination_weak` has a fence in its loop,
theirs has none: without it a buffer may hold any number of stores, and the verdict is *incomplete* (over 64 stores).
`seqlock` has one reader, theirs three.
"""


def known_rows() -> Iterator[Known]:
    """The rows of the table."""
    (rows,) = written_tables("liveness.md")
    for each, (name, *_, found, states, seconds) in zip(ROWS, rows, strict=True):
        yield known(name, float(seconds), [found, states], partial(_found, each))


def _found(each: Row) -> tuple[str, str]:
    """What is wrong, or the verdict, and the number of global states."""
    result = mcr.check(each.program, "tso", objective="progress")
    found = ", ".join(trace.failure.error for trace in result.failures if trace.failure) or result.verdict.value
    return found, f"{result.statistics.global_states:,}"


def main() -> None:
    lines = []
    for each in ROWS:
        begun = time.process_time()
        found, states = _found(each)
        seconds = time.process_time() - begun
        lines.append(f"| {each.program.name} | {each.rows} | {each.theirs} | {found} | {states} | {seconds:.2f} |\n")
    head = _HEAD.format(made=made_by("-m tests.progress.dat3m"))
    Path(__file__).parents[2].joinpath("results", "liveness.md").write_text(head + "".join(lines) + _WHY)


if __name__ == "__main__":
    main()
