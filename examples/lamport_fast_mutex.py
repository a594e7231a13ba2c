"""Lamport's fast mutex: without contention a thread enters after a constant number of accesses."""

import mcr


def contend(p, n, fence=lambda: None, store_fence=lambda: None):
    """n threads increment a counter under the lock, with these fences in it; nobody is thread 0."""
    b, x, y = p.array("b", [False] * (n + 1)), p.var("x", 0), p.var("y", 0)
    counter = p.var("counter", 0)

    def wait_for(cell, value):
        p.wait_until(lambda: cell.load() == value)

    def try_lock(i):
        """Whether thread i got in. Where it returns False, the published algorithm goes back to its start."""
        b[i].store(True)
        x.store(i)
        fence()
        if y.load() != 0:
            b[i].store(False)
            wait_for(y, 0)
            return False
        y.store(i)
        fence()
        if x.load() != i:
            b[i].store(False)
            for other in b:
                wait_for(other, False)
            if y.load() != i:
                wait_for(y, 0)
                return False
        return True

    def unlock(i):
        store_fence()
        y.store(0)
        store_fence()
        b[i].store(False)

    def thread(i):
        while not try_lock(i):
            pass
        counter.store(counter.load() + 1)
        unlock(i)

    for i in range(1, n + 1):
        p.thread(thread, i)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


@mcr.program
def fast_mutex(p, n=2):
    """As published: both threads see y = 0, and then each sees its own x, out of its store buffer.

    Fails under: TSO, PSO
    """
    contend(p, n)


@mcr.program
def fast_mutex_x86(p, n=2):
    """With a full fence before each look at x or y.

    Fails under: PSO
    """
    contend(p, n, fence=p.fence)


@mcr.program
def fast_mutex_fenced(p, n=2):
    """With store fences around y = 0 as well; the one after it matters from three threads on.

    Fails under: nothing
    """
    contend(p, n, fence=p.fence, store_fence=p.store_fence)
