"""Loops that wait by looking again and again, written as in C: no `wait_until` is needed."""

import mcr


class TicketLock:
    """Draw a ticket, and look at the number until it is called."""

    def __init__(self, p):
        self.fence = p.store_fence
        self.next_ticket, self.now_serving = p.var("next ticket", 0), p.var("now serving", 0)

    def lock(self):
        ticket = self.next_ticket.fetch_add(1)
        while self.now_serving.load() != ticket:
            pass
        return ticket

    def unlock(self, ticket):
        self.fence()
        self.now_serving.store(ticket + 1)


class TasLock:
    """Test-and-set: try to be the first, until it succeeds."""

    def __init__(self, p):
        self.fence = p.store_fence
        self.taken = p.var("taken", False)

    def lock(self):
        while self.taken.exchange(True):
            pass

    def unlock(self, _):
        self.fence()
        self.taken.store(False)


class TtasLock(TasLock):
    """Test-and-test-and-set: look until the lock seems free, then try to be the first."""

    def lock(self):
        while True:
            while self.taken.load():
                pass
            if not self.taken.exchange(True):
                return


class McsLock:
    """The lock of Mellor-Crummey and Scott: each thread looks at a node of its own."""

    def __init__(self, p):
        self.p = p
        self.tail = p.var("tail")

    def lock(self):
        node = self.p.record("node", locked=True, next=None)
        predecessor = self.tail.exchange(node)
        if predecessor is not None:
            predecessor.next.store(node)
            while node.locked.load():
                pass
        return node

    def unlock(self, node):
        if node.next.load() is None:
            if self.tail.compare_exchange(node, None):
                return
            while node.next.load() is None:
                pass
        self.p.store_fence()
        node.next.load().locked.store(False)


def contend(p, n, lock):
    """n threads increment a counter under the lock."""
    counter = p.var("counter", 0)

    def thread():
        held = lock.lock()
        counter.store(counter.load() + 1)
        lock.unlock(held)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


@mcr.program
def ticket(p, n=2):
    """A counter under a ticket lock.

    Fails under: nothing
    """
    contend(p, n, TicketLock(p))


@mcr.program
def tas(p, n=2):
    """A counter under a test-and-set lock.

    Fails under: nothing
    """
    contend(p, n, TasLock(p))


@mcr.program
def ttas(p, n=2):
    """A counter under a test-and-test-and-set lock.

    Fails under: nothing
    """
    contend(p, n, TtasLock(p))


@mcr.program
def mcs(p, n=2):
    """A counter under the lock of Mellor-Crummey and Scott.

    Fails under: nothing
    """
    contend(p, n, McsLock(p))


@mcr.program
def seqlock(p, readers=1, rounds=2):
    """Readers read again if a writer was there, which an odd number tells.

    Fails under: nothing
    """
    sequence, x, y = p.var("sequence", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        for i in range(1, rounds + 1):
            sequence.store(2 * i - 1)
            p.store_fence()
            x.store(i)
            y.store(i)
            p.store_fence()
            sequence.store(2 * i)

    def reader():
        while True:
            before = sequence.load()
            if before % 2:
                continue
            point = x.load(), y.load()
            if sequence.load() == before:
                break
        assert point[0] == point[1], f"half a write was read: {point}"

    p.thread(writer)
    for _ in range(readers):
        p.thread(reader)


@mcr.program
def counter(p, n=3):
    """Each thread adds to a counter, and tries again where another was quicker.

    Fails under: nothing
    """
    total = p.var("total", 0)

    def thread():
        while True:
            seen = total.load()
            if total.compare_exchange(seen, seen + 1):
                return

    for _ in range(n):
        p.thread(thread)

    @p.final
    def no_increment_is_lost():
        assert total.load() == n, "an increment was lost"
