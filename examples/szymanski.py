"""Szymanski's algorithm: threads gather in a waiting room, the last one in closes the door."""

import mcr

AWAY, OUTSIDE, WAITING, IN_DOORWAY, DOOR_CLOSED = range(5)


def contend(p, n, fence=lambda: None, store_fence=lambda: None):
    """n threads increment a counter under the lock, with these fences in it."""
    flag, counter = p.array("flag", [AWAY] * n), p.var("counter", 0)

    def announce(me, place):
        flag[me].store(place)
        fence()

    def lock(me):
        announce(me, OUTSIDE)
        p.wait_until(lambda: all(other.load() <= WAITING for other in flag))
        announce(me, IN_DOORWAY)
        if any(other.load() == OUTSIDE for other in flag):
            announce(me, WAITING)
            p.wait_until(lambda: any(other.load() == DOOR_CLOSED for other in flag))
        announce(me, DOOR_CLOSED)
        p.wait_until(lambda: all(other.load() <= OUTSIDE for other in flag[:me]))

    def unlock(me):
        p.wait_until(lambda: all(other.load() not in (WAITING, IN_DOORWAY) for other in flag[me + 1 :]))
        store_fence()
        flag[me].store(AWAY)

    def thread(me):
        lock(me)
        counter.store(counter.load() + 1)
        unlock(me)

    for me in range(n):
        p.thread(thread, me)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


@mcr.program
def szymanski(p, n=2):
    """As published: what a thread announces waits in its store buffer while it looks at the others.

    Fails under: TSO, PSO
    """
    contend(p, n)


@mcr.program
def szymanski_x86(p, n=2):
    """With a full fence after each announcement; under PSO a thread may seem gone before its counter is stored.

    Fails under: PSO
    """
    contend(p, n, fence=p.fence)


@mcr.program
def szymanski_fenced(p, n=2):
    """With a store fence before the release as well.

    Fails under: nothing
    """
    contend(p, n, fence=p.fence, store_fence=p.store_fence)
