"""Values that multiply: sums of what other threads stored, counters that overflow, hand-over of work.

Where each value meets each, visiting executions or local states takes long; `--algorithm bmc` runs thread code on
terms, and asks a solver about all values at once. The programs are those that bounded model checkers are tried on.
"""

from itertools import pairwise

import mcr


@mcr.program
def triangular(p, n=2, slack=0):
    """Two threads lift each other: each number becomes the other one plus 1, n times, and gets no further than 6 + 2n.

    With `slack=-1` the bound is one too low, and the bug shows in one interleaving only.

    Fails under: nothing
    """
    i, j = p.var(3), p.var(6)

    def climb(mine, other):
        for _ in range(n):
            mine.store(other.load() + 1)

    p.thread(climb, i, j)
    p.thread(climb, j, i)

    @p.final
    def bounded():
        assert i.load() <= 6 + 2 * n + slack, "i grew too large"
        assert j.load() <= 6 + 2 * n + slack, "j grew too large"


@mcr.program
def bounded_counter(p, threads=3, bits=2):
    """A counter of a few bits that threads add to wraps around, unless nobody adds to a counter that is full.

    Fails under: nothing
    """
    most = 2**bits - 1
    counter, lost = p.var(0), p.var(0)

    def add(amount):
        while True:
            seen = counter.load()
            if seen + amount > most:
                lost.fetch_add(1)
                return
            if counter.compare_exchange(seen, (seen + amount) & most):
                return

    for amount in range(1, threads + 1):
        p.thread(add, amount)

    @p.final
    def nothing_wrapped_around():
        assert 0 < counter.load() <= most
        assert counter.load() + lost.load() >= 2


@mcr.program
def two_arrays(p, n=2):
    """One thread fills an array, the other sums it up into a second one as it comes: sums never shrink.

    Fails under: nothing
    """
    given, sums = p.array([0] * n), p.array([0] * n)

    def fill():
        for place in range(n):
            given[place].store(place + 1)

    def add_up():
        total = 0
        for place in range(n):
            total += given[place].load()
            sums[place].store(total)

    p.thread(fill)
    p.thread(add_up)

    @p.final
    def growing():
        found = [cell.load() for cell in sums]
        assert all(0 <= one <= other for one, other in pairwise(found))
        assert found[-1] <= n * (n + 1) // 2


@mcr.program
def worker_latch(p, fenced=False):
    """PostgreSQL's workers wake each other by a latch: the flag that says there is work must be there before it.

    The one who wakes another sets a flag and then the latch; the other one clears the latch and then looks at the
    flag. Where stores pass each other, work is left for ever: the latch is clear, and nobody has seen the flag
    ([alglave-2013] section 5). Fences repair it.

    Fails under: PSO
    """
    latch, flag, done = p.var(0), p.var(0), p.var(0)

    def wake():
        flag.store(1)
        if fenced:
            p.fence()
        latch.store(1)

    def work():
        for _ in range(2):
            if latch.load():
                latch.store(0)
                if fenced:
                    p.fence()
                if flag.load():
                    done.store(1)

    p.thread(wake)
    p.thread(work)

    @p.final
    def nothing_is_left():
        assert latch.load() or done.load(), "there is work, and the latch is clear"


@mcr.program
def work_queue(p, workers=1):
    """Apache hands a connection to an idle worker: the number of idle ones, a mutex and a signal.

    What the worker gets is what was put into the slot, whole.

    Fails under: nothing
    """
    idle, mutex = p.var(0), p.mutex()
    filled = p.condition(mutex)
    socket, pool, waiting = p.var(0), p.var(0), p.var(0)

    def listener():
        p.wait_until(lambda: idle.load() > 0)
        idle.fetch_add(-1)
        with mutex:
            socket.store(7)
            pool.store(8)
            waiting.store(1)
            filled.notify()

    def worker():
        idle.fetch_add(1)
        with mutex:
            while not waiting.load():
                filled.wait()
            waiting.store(0)
            assert (socket.load(), pool.load()) == (7, 8), "a connection without its pool"

    p.thread(listener)
    for _ in range(workers):
        p.thread(worker)
