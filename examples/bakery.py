"""Lamport's bakery: take a number above all others, then wait for the smaller ones."""

import mcr


def contend(p, n, fence=lambda: None, store_fence=lambda: None):
    """n threads increment a counter under the lock, with these fences in it."""
    choosing, number = p.array("choosing", [False] * n), p.array("number", [0] * n)
    counter = p.var("counter", 0)

    def lock(me):
        choosing[me].store(True)
        fence()
        mine = 1 + max(cell.load() for cell in number)
        number[me].store(mine)
        store_fence()
        choosing[me].store(False)
        fence()
        for other in range(n):
            if other != me:
                wait_for(other, (mine, me))

    def wait_for(other, ticket):
        def is_behind():
            theirs = number[other].load()
            return theirs == 0 or ticket < (theirs, other)

        p.wait_until(lambda: not choosing[other].load())
        p.wait_until(is_behind)

    def unlock(me):
        store_fence()
        number[me].store(0)

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
def bakery(p, n=2):
    """As published: a thread's number waits in its store buffer while the thread looks at the others.

    Fails under: TSO, PSO
    """
    contend(p, n)


@mcr.program
def bakery_x86(p, n=2):
    """With a full fence before each look; under PSO `choosing` may fall before the number is there.

    Fails under: PSO
    """
    contend(p, n, fence=p.fence)


@mcr.program
def bakery_fenced(p, n=2):
    """With store fences after the number and before the release.

    Fails under: nothing
    """
    contend(p, n, fence=p.fence, store_fence=p.store_fence)
