"""Dekker's algorithm: the first mutual exclusion of two threads by loads and stores alone."""

import mcr


def contend(p, rounds, fence=lambda: None, store_fence=lambda: None):
    """Two threads increment a counter `rounds` times under Dekker's lock, with these fences in it."""
    wants, turn, counter = p.array("wants", [False, False]), p.var("turn", 0), p.var("counter", 0)

    def lock(me):
        other = 1 - me
        wants[me].store(True)
        fence()
        if wants[other].load():
            if turn.load() == other:
                wants[me].store(False)
                p.wait_until(lambda: turn.load() == me)
                wants[me].store(True)
                fence()
            p.wait_until(lambda: not wants[other].load())

    def unlock(me):
        turn.store(1 - me)
        store_fence()
        wants[me].store(False)

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
def dekker(p, rounds=1):
    """As published: each thread announces itself in its store buffer and sees nothing of the other.

    Fails under: TSO, PSO
    """
    contend(p, rounds)


@mcr.program
def dekker_x86(p, rounds=1):
    """With a full fence after each announcement; under PSO the lock may be free before the counter is stored.

    Fails under: PSO
    """
    contend(p, rounds, fence=p.fence)


@mcr.program
def dekker_fenced(p, rounds=1):
    """With a store fence before the release.

    Fails under: nothing
    """
    contend(p, rounds, fence=p.fence, store_fence=p.store_fence)
