"""Programs of the test suites of GenMC and Nidhugg, as one would write them here.

Each says from which suite it is, how many complete executions (by po, rf and co) it has there under SC, or how it
fails, and how many lines of C it takes there: of the file with its threads, comments, empty lines and `#include` left
out (most have a `main` in another one). The figures are theirs; the text is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from replay.frontend.program import Program


class Case(NamedTuple):
    """A program of another suite.

    suite     "genmc" or "nidhugg", and the name that the program has there
    expected  its executions under SC, or the name of the error that it has, there called otherwise; None where counts
              do not coincide: here a barrier tells its threads in which order they came
    lines     of its C original
    """

    suite: str
    name: str
    program: Program
    expected: int | str | None
    lines: int


CASES: list[Case] = []


def of(
    suite: str, expected: int | str | None, lines: int, name: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(Case(suite, name or function.__name__, Program(function), expected, lines))
        return function

    return add


def each(p, function, arguments):
    for argument in arguments:
        p.thread(function, argument)


# -- updates, loads and stores of one location -------------------------------------------


@of("genmc", 24, 6)
def ainc(p, n=4):
    x = p.var(0)
    for _ in range(n):
        p.thread(x.fetch_add)


@of("genmc", 36, 8)
def binc(p, n=3):
    x, y = p.var(0), p.var(0)
    each(p, lambda _: (x.fetch_add(), y.fetch_add()), range(n))


@of("genmc", 8, 10)
def cinc(p, n=2):
    x, y, z = p.var(0), p.var(0), p.var(0)
    each(p, lambda _: (x.fetch_add(), y.fetch_add(), z.fetch_add()), range(n))


@of("genmc", 43, 10)
def casrot(p, n=5):
    x = p.var(0)
    each(p, lambda new: x.compare_exchange(new - 1, new), range(1, n + 1))


@of("genmc", 66, 10)
def casw(p, n=3):
    x = p.var(0)

    def thread(value):
        x.compare_exchange(0, 1)
        x.store(value + 3)

    each(p, thread, range(n))


@of("genmc", 36, 9)
def inc(p, n=3):
    x = p.var(0)
    each(p, lambda me: x.store(x.load() + (1 << me)), range(n))


@of("genmc", 36, 9)
def rw(p, n=3):
    x = p.var(0)

    def thread(value):
        x.load()
        x.store(value)

    each(p, thread, range(n))


@of("genmc", 24, 11)
def wainc(p, n=3):
    x = p.var(0)
    p.thread(x.store, 42)
    for _ in range(n):
        p.thread(x.fetch_add)


@of("genmc", 33, 13)
def wcas(p, n=4):
    x = p.var(0)
    p.thread(x.store, 2)
    for _ in range(n):
        p.thread(x.compare_exchange, 2, 3)


@of("genmc", 256, 13)
def readers(p, n=8):
    x = p.var(0)
    p.thread(x.store, 42)
    for _ in range(n):
        p.thread(x.load)


@of("genmc", 64, 16)
def lastzero(p, n=5):
    a = p.array([0] * (n + 1))

    def reader():
        i = n
        while a[i].load() != 0:
            i -= 1

    p.thread(reader)
    each(p, lambda i: a[i].store(a[i - 1].load() + 1), range(1, n + 1))


@of("genmc", 15, 25)
def CoA(p, n=2):  # noqa: N802 - the name that it has there
    x, y, z = p.var(0), p.var(0), p.var(0)

    def look(mine, value):
        x.store(value)
        mine.load()
        x.load()

    def write(value):
        y.store(value)
        z.store(value)

    p.thread(look, y, 1)
    p.thread(look, z, 2)
    each(p, write, range(1, n))


@of("genmc", 300, 13)
def wrw(p, n=3):
    x = p.var(0)
    p.thread(x.store, 1)

    def thread(value):
        x.load()
        x.store(value)

    each(p, thread, range(2, n + 2))


@of("genmc", 210, 24, "fr+w+w+w+reads")
def fr_w_w_w_reads(p):
    x = p.var(0)
    each(p, x.store, (1, 2, 3))
    p.thread(lambda: (x.load(), x.load(), x.load(), x.load()))


@of("genmc", 2, 16)
def ccr(p):
    x = p.var(0)
    p.thread(x.compare_exchange, 0, 42)
    p.thread(lambda: (x.compare_exchange(0, 17), x.load()))


@of("genmc", 6, 18)
def cii(p):
    x = p.var(0)
    p.thread(x.compare_exchange, 1, 2)
    p.thread(x.fetch_add)
    p.thread(x.fetch_add)


@of("genmc", 24, 24)
def wcii(p):
    x = p.var(0)
    p.thread(x.store, 5)
    p.thread(x.compare_exchange, 1, 2)
    p.thread(x.fetch_add)
    p.thread(x.fetch_add)


@of("genmc", 3, 12)
def rii(p):
    x = p.var(0)
    p.thread(lambda: (x.load(), x.fetch_add()))
    p.thread(x.fetch_add)


@of("genmc", 6, 16)
def inc2w(p):
    x = p.var(0)
    p.thread(x.fetch_add)
    p.thread(x.store, 4)
    p.thread(x.fetch_add, 2)


@of("genmc", 3, 12, "rinc+wr")
def rinc_wr(p):
    x = p.var(0)
    p.thread(x.fetch_add)
    p.thread(lambda: (x.store(2), x.load()))


@of("genmc", 9, 17)
def small0(p):
    x = p.var(0)
    p.thread(x.load)
    p.thread(lambda: (x.load(), x.store(1)))
    p.thread(x.store, 2)


@of("genmc", 4, 22, "2CoWR")
def two_cowr(p):
    x, y = p.var(0), p.var(0)
    p.thread(y.load)
    p.thread(x.load)
    p.thread(x.store, 1)
    p.thread(y.store, 1)


# -- two locations and more ---------------------------------------------------------------


@of("genmc", 3, 14)
def MP(p):  # noqa: N802 - the name that it has there
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (x.store(1), y.store(1)))
    p.thread(lambda: (y.load(), x.load()))


@of("genmc", 3, 14)
def SB(p):  # noqa: N802 - the name that it has there
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (x.store(1), y.load()))
    p.thread(lambda: (y.store(1), x.load()))


@of("genmc", 3, 14)
def LB(p):  # noqa: N802 - the name that it has there
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (y.load(), x.store(1)))
    p.thread(lambda: (x.load(), y.store(1)))


@of("genmc", 3, 14, "2+2W")
def two_plus_two_w(p):
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (x.store(1), y.store(2)))
    p.thread(lambda: (y.store(1), x.store(2)))


@of("genmc", 7, 23, "W+RWC")
def w_rwc(p):
    x, y, z = p.var(0), p.var(0), p.var(0)
    p.thread(lambda: (x.store(1), z.store(1)))
    p.thread(lambda: (z.load(), p.fence(), y.load()))
    p.thread(lambda: (y.store(1), p.fence(), x.load()))


@of("genmc", 15, 20, "WWmerge1")
def ww_merge(p):
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (x.load(), y.load()))
    p.thread(lambda: (x.store(1), x.store(2)))
    p.thread(lambda: (y.store(1), x.load()))


@of("genmc", 3, 14)
def riwi(p):
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (y.load(), x.fetch_add()))
    p.thread(lambda: (x.fetch_add(), y.store(1)))


@of("genmc", 4, 17, "assume-ctrl")
def assume_ctrl(p):
    x, y = p.var(0), p.var(0)

    def one():
        p.assume(y.load() < 2 or y.load() > 3)
        x.store(1)

    def two():
        p.assume(x.load() < 3)
        y.store(3)
        p.fence()
        y.store(4)

    p.thread(one)
    p.thread(two)


@of("genmc", 3, 15)
def atomicpo(p):
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (y.store(1), p.fence(), x.store(1)))
    p.thread(lambda: (x.exchange(1), y.exchange(1)))


@of("genmc", 2, 16)
def casdep(p):
    x, y, z = p.var(0), p.var(0), p.var(0)

    def thread():
        _, a = y.compare_exchange_seen(x.load(), 1)
        z.store(a)

    p.thread(thread)
    p.thread(y.store, 2)


@of("genmc", 9, 22)
def detour(p):
    x, y, z = p.var(0), p.var(0), p.var(0)
    p.thread(x.store, 1)
    p.thread(lambda: (x.store(z.load() - 1), y.store(x.load())))
    p.thread(lambda: z.store(y.load()))


@of("genmc", 3, 16, "po-loc")
def po_loc(p):
    x, y = p.var(0), p.var(0)
    p.thread(lambda: (y.load(), p.fence(), x.load(), x.store(1)))
    p.thread(lambda: y.store(x.load()))


# -- locks, barriers, threads, memory ------------------------------------------------------


@of("genmc", 24, 11)
def lockinc(p, n=4):
    mutex, x = p.mutex(), p.var(0)

    def thread():
        with mutex:
            x.store(x.load() + 1)

    for _ in range(n):
        p.thread(thread)


@of("genmc", 24, 14)
def lock2inc(p, n=4):
    mutex, x, y = p.mutex(), p.var(0), p.var(0)

    def thread():
        with mutex:
            x.store(x.load() + 1)
            y.store(y.load() + 1)

    for _ in range(n):
        p.thread(thread)


@of("genmc", 3, 19)
def TLS1(p):  # noqa: N802 - the name that it has there
    x, y, my = p.var(0), p.var(0), p.local(cpu=0)

    def thread(mine, other, value):
        mine.store(42)
        other.load()
        my.cpu = value
        assert my.cpu == value

    p.thread(thread, x, y, 1)
    p.thread(thread, y, x, 42)


@of("genmc", 2, 15)
def TLS3(p):  # noqa: N802 - the name that it has there
    x, my = p.var(0), p.local(v=0)

    def one():
        if x.load() == 1:
            my.v = 17

    def two():
        x.store(1)
        if my.v == 17:
            x.store(42)

    p.thread(one)
    p.thread(two)


@of("genmc", 1, 10, "malloc-mutex")
def malloc_mutex(p):
    p.thread(lambda: p.record(m=p.mutex()).m.lock())


@of("genmc", 2, 17, "join-retval")
def join_retval(p):
    x = p.var(0)

    def main():
        thread = p.spawn(x.load)
        x.store(1)
        assert thread.join() <= 1

    p.thread(main)


@of("genmc", None, 19)
def barrier1(p, n=3):
    barrier = p.barrier(n)
    for _ in range(n):
        p.thread(barrier.wait)


@of("genmc", "UseAfterFree", 16, "access-freed")
def access_freed(p):
    pointer = p.var(None)

    def one():
        made = p.array([0])
        pointer.store(made)
        p.free(made)

    def two():
        if (r := pointer.load()) is not None:
            r[0].store(18)

    p.thread(one)
    p.thread(two)


@of("genmc", "UseAfterFree", 13, "access-freed2")
def access_freed_2(p):
    pointer = p.var(p.record("int", value=0))
    p.thread(lambda: p.free(pointer.load()))
    p.thread(lambda: pointer.load().value.store(42))


@of("genmc", "UseAfterFree", 13, "free-struct")
def free_struct(p):
    def main():
        o = p.record(x=1, y=2)
        p.free(o)
        o.y.store(10)

    p.thread(main)


@of("genmc", "AttributeError", 14, "read-from-null")
def read_from_null(p):
    pointer = p.var(None)
    p.thread(lambda: pointer.store(p.record("int", value=42)))
    p.thread(lambda: pointer.load().value.load())


@of("genmc", "UseAfterFree", 27, "destroyed-mutex")
def destroyed_mutex(p):
    x, y, lock = p.var(0), p.var(0), p.var(p.record(mutex=p.mutex()))

    def destroy():
        p.free(lock.load())
        x.store(1)
        y.store(1)

    def use():
        if y.load() and x.load():
            lock.load().mutex.lock()

    p.thread(destroy)
    p.thread(use)


@of("nidhugg", 2, 19)
def mutex_order_2(p, n=2):
    lockinc(p, n)


@of("nidhugg", 6, 19)
def mutex_order_3(p, n=3):
    lockinc(p, n)


@of("nidhugg", 8, 41)
def readers_3(p):
    readers(p, n=3)
