"""Sequence lock: readers take no lock, but read again if a writer was there, which an odd number tells."""

import mcr


def write_and_read(p, rounds, store_fence=lambda: None):
    """One thread moves a point along a diagonal, another one reads it."""
    sequence, x, y = p.var("sequence", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        for i in range(1, rounds + 1):
            sequence.store(2 * i - 1)
            store_fence()
            x.store(i)
            y.store(i)
            store_fence()
            sequence.store(2 * i)

    def reader():
        point = None

        def read_undisturbed():
            nonlocal point
            before = sequence.load()
            point = x.load(), y.load()
            return before % 2 == 0 and sequence.load() == before

        p.wait_until(read_undisturbed)
        assert point[0] == point[1], f"half a write was read: {point}"

    p.thread(writer)
    p.thread(reader)


@mcr.program
def seqlock(p, rounds=2):
    """Under PSO the coordinates may be stored before the number is odd, or after it is even again.

    Fails under: PSO
    """
    write_and_read(p, rounds)


@mcr.program
def seqlock_fenced(p, rounds=2):
    """With store fences on both sides of the coordinates.

    Fails under: nothing
    """
    write_and_read(p, rounds, store_fence=p.store_fence)
