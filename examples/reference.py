"""The programs that the field counts: each written with the same shared accesses everywhere.

Their figures (local states, values classes) are known from brute force and
from other tools, so they tell whether a checker counts right. `check=False`
drops the assertions and keeps the accesses, to explore everything: then every
program here is verified under every model.

With the assertions: readers, lastzero, exp_mem and casrot have none; fib never
fails; sb, dekker, peterson, bakery and fastmutex fail under TSO and PSO, where
a store may be overtaken by a later load; mp, example, example_zreset and ttas
under PSO only, where a store may be overtaken by a store to another location.
"""

import mcr


def critical_section(cs, me, check):
    """What every lock protects: write who is inside, and look whether it still says so."""
    cs.store(me + 1)
    inside = cs.load()
    assert not check or inside == me + 1, "two threads in the critical section"


@mcr.program
def sb(p, n=2, check=True):
    """Store buffering in a ring: can every thread miss its neighbour's store?

    Fails under: TSO, PSO
    """
    x = p.array("x", [0] * n)

    def thread(i):
        x[i].store(1)
        return x[(i + 1) % n].load()

    threads = [p.thread(thread, i) for i in range(n)]
    if check:

        @p.final
        def somebody_saw():
            assert any(thread.join() for thread in threads), "every thread missed its neighbour's store"


@mcr.program
def mp(p, check=True):
    """Message passing: the flag must not arrive before the message.

    Fails under: PSO
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def sender():
        x.store(1)
        y.store(1)

    def receiver():
        u = y.load()
        v = x.load()
        assert not check or not (u == 1 and v == 0), "the flag arrived before the message"

    p.thread(sender)
    p.thread(receiver)


@mcr.program
def readers(p, n=5):
    """One writer, n readers: exponentially many interleavings, two local states that matter.

    Fails under: nothing
    """
    x = p.var("x", 0)
    p.thread(x.store, 1, name="writer")
    for i in range(n):
        p.thread(x.load, name=f"reader {i}")


@mcr.program
def lastzero(p, n=5):
    """A reader looks for the last zero of an array while n writers make cells nonzero.

    Fails under: nothing
    """
    a = p.array("a", [0] * (n + 1))

    def reader():
        i = n
        while a[i].load() != 0:
            i -= 1

    def writer(i):
        a[i].store(a[i - 1].load() + 1)

    p.thread(reader)
    for i in range(1, n + 1):
        p.thread(writer, i)


@mcr.program
def fib(p, n=3, check=True):
    """Two threads add each other's variable to their own; many values, not many threads.

    Fails under: nothing
    """
    i, j = p.var("i", 1), p.var("j", 1)
    limit = fibonacci(2 * n + 2)

    def add(mine, other):
        for _ in range(n):
            u = mine.load()
            v = other.load()
            mine.store(u + v)

    p.thread(add, i, j)
    p.thread(add, j, i)
    if check:

        @p.final
        def bounded():
            final_i, final_j = i.load(), j.load()
            assert final_i <= limit, "i grew too large"
            assert final_j <= limit, "j grew too large"
            return final_i, final_j


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@mcr.program
def exp_mem(p, n=5):
    """n threads of fetch-and-adds on two counters.

    Fails under: nothing
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def both():
        y.fetch_add(1)
        x.fetch_add(1)

    p.thread(x.fetch_add, 1)
    for _ in range(n - 1):
        p.thread(y.fetch_add, 1)
    p.thread(both)


@mcr.program
def example(p, n=1, check=True):
    """Publication of a two-field object through a flag, n times.

    Fails under: PSO
    """
    x, y, z = p.var("x", 1), p.var("y", 2), p.var("z", 0)
    p.thread(publish, n, x, y, z, False)
    p.thread(consume, n, x, y, z, check)


@mcr.program
def example_zreset(p, n=1, check=True):
    """The same, withdrawing the flag before each round.

    Fails under: PSO
    """
    x, y, z = p.var("x", 1), p.var("y", 2), p.var("z", 0)
    p.thread(publish, n, x, y, z, True)
    p.thread(consume, n, x, y, z, check)


def publish(n, x, y, z, reset):
    for _ in range(n):
        if reset:
            z.store(0)
        x.store(0)
        y.store(0)
        x.store(2)
        y.store(3)
        z.store(1)


def consume(n, x, y, z, check):
    for _ in range(n):
        if z.load() == 1:
            u = x.load()
            v = y.load()
            assert not check or u + 1 == v, "a half-made object was seen"


@mcr.program
def casrot(p, n=4):
    """Thread i hands a token from i-1 to i, if it is there.

    Fails under: nothing
    """
    x = p.var("x", 0)
    for i in range(1, n + 1):
        p.thread(x.compare_exchange, i - 1, i)


@mcr.program
def ttas(p, n=2, b=1, check=True):
    """Test-and-test-and-set lock with at most b attempts, released by a plain store.

    Fails under: PSO
    """
    lock, cs = p.var("l", 0), p.var("cs", 0)

    def acquire():
        for _ in range(b - 1):
            if lock.load() == 0 and lock.compare_exchange(0, 1):
                return
        p.assume(lock.load() == 0)
        p.assume(lock.compare_exchange(0, 1))

    def thread(i):
        acquire()
        critical_section(cs, i, check)
        lock.store(0)

    for i in range(n):
        p.thread(thread, i)


@mcr.program
def dekker(p, check=True):
    """Dekker's lock, one attempt: announce, look, enter.

    Fails under: TSO, PSO
    """
    flag, turn, cs = p.array("flag", [0, 0]), p.var("turn", 0), p.var("cs", 0)

    def thread(i):
        flag[i].store(1)
        p.assume(flag[1 - i].load() == 0)
        critical_section(cs, i, check)
        turn.store(1 - i)
        flag[i].store(0)

    p.thread(thread, 0)
    p.thread(thread, 1)


@mcr.program
def peterson(p, check=True):
    """Peterson's lock, one attempt: announce, give way, look, enter.

    Fails under: TSO, PSO
    """
    flag, turn, cs = p.array("flag", [0, 0]), p.var("turn", 0), p.var("cs", 0)

    def thread(i):
        flag[i].store(1)
        turn.store(1 - i)
        if flag[1 - i].load() != 0:
            p.assume(turn.load() != 1 - i)
        critical_section(cs, i, check)
        flag[i].store(0)

    p.thread(thread, 0)
    p.thread(thread, 1)


@mcr.program
def bakery(p, n=2, check=True):
    """Lamport's bakery: take a number above all others, wait for the smaller ones.

    Fails under: TSO, PSO
    """
    choosing, num, cs = p.array("c", [0] * n), p.array("num", [0] * n), p.var("cs", 0)

    def thread(i):
        others = [j for j in range(n) if j != i]
        choosing[i].store(1)
        mine = 1
        for j in others:
            mine = max(mine, num[j].load() + 1)
        num[i].store(mine)
        choosing[i].store(0)
        for j in others:
            p.assume(choosing[j].load() == 0)
            theirs = num[j].load()
            p.assume(theirs == 0 or (mine, i) < (theirs, j))
        critical_section(cs, i, check)
        num[i].store(0)

    for i in range(n):
        p.thread(thread, i)


@mcr.program
def fastmutex(p, n=2, b=1, check=True):
    """Lamport's fast mutex with at most b attempts.

    Fails under: TSO, PSO
    """
    want, x, y, cs = p.array("b", [0] * n), p.var("x", 0), p.var("y", 0), p.var("cs", 0)

    def attempt(i):
        """Whether the thread got in; stops it for good where the lock would wait."""
        want[i].store(1)
        x.store(i + 1)
        if y.load() != 0:
            want[i].store(0)
            p.assume(y.load() == 0)
            return False
        y.store(i + 1)
        if x.load() != i + 1:
            want[i].store(0)
            for j in range(n):
                if j != i:
                    p.assume(want[j].load() == 0)
            if y.load() != i + 1:
                p.assume(y.load() == 0)
                return False
        return True

    def thread(i):
        p.assume(any(attempt(i) for _ in range(b)))
        critical_section(cs, i, check)
        y.store(0)
        want[i].store(0)

    for i in range(n):
        p.thread(thread, i)
