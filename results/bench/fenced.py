"""Lamport's locks with a full fence after every store, as proofs: nothing of them fails under any model.

What bounded model checkers were measured on, beside fib, lastzero and exp_mem; a wait is an assumption.
"""

import mcr


def critical_section(p, cs, me):
    """What every lock protects: write who is inside, and look whether it still says so."""
    cs.store(me + 1)
    p.fence()
    assert cs.load() == me + 1, "two threads in the critical section"


@mcr.program
def bakery_fenced(p, n=2):
    """Lamport's bakery: take a number above all others, wait for the smaller ones.

    Fails under: nothing
    """
    choosing, num, cs = p.array("c", [0] * n), p.array("num", [0] * n), p.var("cs", 0)

    def write(cell, value):
        cell.store(value)
        p.fence()

    def thread(i):
        others = [j for j in range(n) if j != i]
        write(choosing[i], 1)
        mine = 1
        for j in others:
            mine = max(mine, num[j].load() + 1)
        write(num[i], mine)
        write(choosing[i], 0)
        for j in others:
            p.assume(choosing[j].load() == 0)
            theirs = num[j].load()
            p.assume(theirs == 0 or (mine, i) < (theirs, j))
        critical_section(p, cs, i)
        write(num[i], 0)

    for i in range(n):
        p.thread(thread, i)


@mcr.program
def fastmutex_fenced(p, n=2, b=1):
    """Lamport's fast mutex with at most b attempts.

    Fails under: nothing
    """
    want, x, y, cs = p.array("b", [0] * n), p.var("x", 0), p.var("y", 0), p.var("cs", 0)

    def write(cell, value):
        cell.store(value)
        p.fence()

    def attempt(i):
        """Whether the thread got in; stops it for good where the lock would wait."""
        write(want[i], 1)
        write(x, i + 1)
        if y.load() != 0:
            write(want[i], 0)
            p.assume(y.load() == 0)
            return False
        write(y, i + 1)
        if x.load() != i + 1:
            write(want[i], 0)
            for j in range(n):
                if j != i:
                    p.assume(want[j].load() == 0)
            if y.load() != i + 1:
                p.assume(y.load() == 0)
                return False
        return True

    def thread(i):
        p.assume(any(attempt(i) for _ in range(b)))
        critical_section(p, cs, i)
        write(y, 0)
        write(want[i], 0)

    for i in range(n):
        p.thread(thread, i)
