"""Sense-reversing barrier: nobody goes on before all have come, and the barrier is ready for the next round."""

import mcr


class Barrier:
    """Opens when n threads wait, by a flip of `sense`."""

    def __init__(self, p, n, store_fence=lambda: None):
        self.p = p
        self.n = n
        self.store_fence = store_fence
        self.missing, self.sense = p.var("missing", n), p.var("sense", False)

    def wait(self):
        before = self.sense.load()
        missing = self.missing.fetch_add(-1)
        assert missing > 0, "more threads came than take part"
        if missing == 1:
            self.missing.store(self.n)
            self.store_fence()
            self.sense.store(not before)
        else:
            self.p.wait_until(lambda: self.sense.load() != before)


def walk_in_step(p, n, rounds, barrier):
    """Before each round, every thread has finished the one before."""
    steps = p.array("steps", [0] * n)

    def walker(me):
        for step in range(1, rounds + 1):
            steps[me].store(step)
            barrier.wait()
            assert all(other.load() >= step for other in steps), "somebody was left behind"

    for me in range(n):
        p.thread(walker, me)


@mcr.program
def barrier(p, n=2, rounds=2):
    """Under PSO the barrier may open before its count is set back, and threads of the next round miscount.

    Fails under: PSO
    """
    walk_in_step(p, n, rounds, Barrier(p, n))


@mcr.program
def barrier_fenced(p, n=2, rounds=2):
    """With a store fence between count and sense.

    Fails under: nothing
    """
    walk_in_step(p, n, rounds, Barrier(p, n, store_fence=p.store_fence))
