"""Peterson's algorithm: mutual exclusion of two threads; announce yourself, then give way."""

import mcr


def contend(p, rounds, fence=lambda: None, store_fence=lambda: None):
    """Two threads increment a counter `rounds` times under Peterson's lock, with these fences in it."""
    flag, turn, counter = p.array("flag", [False, False]), p.var("turn", 0), p.var("counter", 0)

    def lock(me):
        other = 1 - me
        flag[me].store(True)
        store_fence()
        turn.store(other)
        fence()
        p.wait_until(lambda: not flag[other].load() or turn.load() == me)

    def unlock(me):
        store_fence()
        flag[me].store(False)

    def thread(me):
        for _ in range(rounds):
            lock(me)
            counter.store(counter.load() + 1)
            unlock(me)

    p.thread(thread, 0)
    p.thread(thread, 1)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == 2 * rounds, "an increment was lost"


@mcr.program
def peterson(p, rounds=1):
    """As published: each thread looks for the other while its own flag waits in its store buffer.

    Fails under: TSO, PSO
    """
    contend(p, rounds)


@mcr.program
def peterson_x86(p, rounds=1):
    """With a full fence before looking; under PSO a turn may be given before the flag is up.

    Fails under: PSO
    """
    contend(p, rounds, fence=p.fence)


@mcr.program
def peterson_fenced(p, rounds=1):
    """With store fences between flag and turn, and before the release.

    Fails under: nothing
    """
    contend(p, rounds, fence=p.fence, store_fence=p.store_fence)
