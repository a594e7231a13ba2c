"""Queue locks: waiting threads form a linked list, and each spins on a location of its own."""

import mcr


class McsLock:
    """The lock of Mellor-Crummey and Scott: a thread spins on its own node until its predecessor clears it."""

    def __init__(self, p, store_fence=lambda: None):
        self.p = p
        self.store_fence = store_fence
        self.tail = p.var("tail")

    def lock(self):
        node = self.p.record("node", locked=False, next=None)
        predecessor = self.tail.exchange(node)
        if predecessor is not None:
            node.locked.store(True)
            self.store_fence()
            predecessor.next.store(node)
            self.p.wait_until(lambda: not node.locked.load())
        return node

    def unlock(self, node):
        if node.next.load() is None:
            if self.tail.compare_exchange(node, None):
                return
            self.p.wait_until(lambda: node.next.load() is not None)
        self.store_fence()
        node.next.load().locked.store(False)


class ClhLock:
    """The lock of Craig, Landin and Hagersten: a thread spins on its predecessor's node."""

    def __init__(self, p, store_fence=lambda: None):
        self.p = p
        self.store_fence = store_fence
        self.tail = p.var("tail", p.record("node", locked=False))

    def lock(self):
        node = self.p.record("node", locked=True)
        predecessor = self.tail.exchange(node)
        self.p.wait_until(lambda: not predecessor.locked.load())
        return node

    def unlock(self, node):
        self.store_fence()
        node.locked.store(False)


def contend(p, n, lock):
    """n threads increment a counter under the lock."""
    counter = p.var("counter", 0)

    def thread():
        node = lock.lock()
        counter.store(counter.load() + 1)
        lock.unlock(node)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


@mcr.program
def mcs_lock(p, n=2):
    """Under PSO the successor may be let in before the counter is stored; or never, if its node is cleared too early.

    Fails under: PSO
    """
    contend(p, n, McsLock(p))


@mcr.program
def mcs_lock_fenced(p, n=2):
    """With store fences before the node is linked and before the release.

    Fails under: nothing
    """
    contend(p, n, McsLock(p, store_fence=p.store_fence))


@mcr.program
def clh_lock(p, n=3):
    """Under PSO the successor may be let in before the counter is stored.

    Fails under: PSO
    """
    contend(p, n, ClhLock(p))


@mcr.program
def clh_lock_fenced(p, n=3):
    """With a store fence before the release.

    Fails under: nothing
    """
    contend(p, n, ClhLock(p, store_fence=p.store_fence))
