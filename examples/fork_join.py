"""Fork and join: a thread spawns others, and adds up what they leave in memory."""

import mcr


@mcr.program
def fork_join(p, n=3):
    """A join waits until the stores of the child are in memory.

    Fails under: nothing
    """
    squares = p.array("squares", [0] * n)

    def child(i):
        squares[i].store(i * i)

    def parent():
        for thread in [p.spawn(child, i) for i in range(n)]:
            thread.join()
        assert sum(square.load() for square in squares) == sum(i * i for i in range(n))

    p.thread(parent)


def fork_and_watch(p, n, store_fence=lambda: None):
    squares, done = p.array("squares", [0] * n), p.array("done", [False] * n)

    def child(i):
        squares[i].store(i * i)
        store_fence()
        done[i].store(True)

    def parent():
        for i in range(n):
            p.spawn(child, i)
        p.wait_until(lambda: all(flag.load() for flag in done))
        assert sum(square.load() for square in squares) == sum(i * i for i in range(n))

    p.thread(parent)


@mcr.program
def fork_flags(p, n=3):
    """With flags instead of joins: under PSO a child may be done before its result is in memory.

    Fails under: PSO
    """
    fork_and_watch(p, n)


@mcr.program
def fork_flags_fenced(p, n=3):
    """With a store fence before the flag.

    Fails under: nothing
    """
    fork_and_watch(p, n, store_fence=p.store_fence)
