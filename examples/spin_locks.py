"""Spin locks: taken by one atomic operation, released by a plain store."""

import mcr


class TtasLock:
    """Test-and-test-and-set: wait until the lock looks free, then try to be the first to take it."""

    def __init__(self, p, store_fence=lambda: None):
        self.p = p
        self.store_fence = store_fence
        self.taken = p.var("taken", False)

    def lock(self):
        while True:
            self.p.wait_until(lambda: not self.taken.load())
            if not self.taken.exchange(True):
                return

    def unlock(self):
        self.store_fence()
        self.taken.store(False)


class TicketLock:
    """First come, first served: draw a ticket and wait until its number is called."""

    def __init__(self, p, store_fence=lambda: None):
        self.p = p
        self.store_fence = store_fence
        self.next_ticket, self.now_serving = p.var("next ticket", 0), p.var("now serving", 0)

    def lock(self):
        ticket = self.next_ticket.fetch_add(1)
        self.p.wait_until(lambda: self.now_serving.load() == ticket)

    def unlock(self):
        self.store_fence()
        self.now_serving.store(self.now_serving.load() + 1)


def contend(p, n, lock):
    """n threads increment a counter under the lock."""
    counter = p.var("counter", 0)

    def thread():
        lock.lock()
        counter.store(counter.load() + 1)
        lock.unlock()

    for _ in range(n):
        p.thread(thread)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


@mcr.program
def ttas_lock(p, n=2):
    """Under PSO the lock may be free before the counter is stored.

    Fails under: PSO
    """
    contend(p, n, TtasLock(p))


@mcr.program
def ttas_lock_fenced(p, n=2):
    """With a store fence before the release.

    Fails under: nothing
    """
    contend(p, n, TtasLock(p, store_fence=p.store_fence))


@mcr.program
def ticket_lock(p, n=3):
    """Under PSO the next number may be called before the counter is stored.

    Fails under: PSO
    """
    contend(p, n, TicketLock(p))


@mcr.program
def ticket_lock_fenced(p, n=3):
    """With a store fence before the release.

    Fails under: nothing
    """
    contend(p, n, TicketLock(p, store_fence=p.store_fence))
