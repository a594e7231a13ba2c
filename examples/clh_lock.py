"""The lock of Craig, Landin and Hagersten as in the book: a thread goes on with the node of its predecessor."""

import mcr


class ClhLock:
    """A thread spins on the node before its own; both are state that it has for itself."""

    def __init__(self, p):
        self.p = p
        self.tail = p.var(p.record("node", locked=False))
        self.my = p.local(node=None, predecessor=None)

    def acquire(self):
        if self.my.node is None:
            self.my.node = self.p.record("node", locked=True)
        self.my.node.locked.store(True)
        self.my.predecessor = self.tail.exchange(self.my.node)
        while self.my.predecessor.locked.load():
            pass

    def release(self, fence):
        fence()
        self.my.node.locked.store(False)
        self.my.node = self.my.predecessor


def count(p, rounds, fence):
    """Threads increment a counter under the lock, each so many times."""
    lock, counter = ClhLock(p), p.var(0)

    def thread(times):
        for _ in range(times):
            lock.acquire()
            counter.store(counter.load() + 1)
            lock.release(fence)

    for times in rounds:
        p.thread(thread, times)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == sum(rounds), "an increment was lost"


@mcr.program
def clh_lock_reused(p, rounds=(2, 1)):
    """Under PSO the successor may be let in before the counter is stored.

    Fails under: PSO
    """
    count(p, rounds, lambda: None)


@mcr.program
def clh_lock_reused_fenced(p, rounds=(2, 1)):
    """With a store fence before the release.

    Fails under: nothing
    """
    count(p, rounds, p.store_fence)
