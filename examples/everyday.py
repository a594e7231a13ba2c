"""Locks, buffers and sets as their users write them: objects, helpers, loops that try again."""

import mcr


class FutexMutex:
    """Drepper's third mutex (Futexes Are Tricky): 0 is free, 1 taken, 2 taken while somebody may sleep."""

    def __init__(self, p):
        self.p = p
        self.state = p.var("state", 0)
        self.wakes = p.var("wakes", 0)

    def lock(self):
        if self.state.compare_exchange(0, 1):
            return
        while self.state.exchange(2) != 0:
            self.sleep()

    def unlock(self):
        if self.state.exchange(0) == 2:
            self.wakes.fetch_add(1)

    def sleep(self):
        """futex_wait: sleep unless the state has changed, until somebody wakes the sleepers."""
        heard = self.wakes.load()
        if self.state.load() == 2:
            while self.wakes.load() == heard:
                pass


@mcr.program
def futex_mutex(p, n=2):
    """A counter under a mutex that sleeps.

    Fails under: nothing
    """
    counter, mutex = p.var("counter", 0), FutexMutex(p)

    def thread():
        mutex.lock()
        counter.store(counter.load() + 1)
        mutex.unlock()

    for _ in range(n):
        p.thread(thread)

    @p.final
    def no_increment_is_lost():
        assert counter.load() == n, "an increment was lost"


class Ring:
    """One producer, one consumer; whoever finds it full or empty tries again."""

    def __init__(self, p, capacity):
        self.fence = p.store_fence
        self.slots = p.array("slots", [None] * capacity)
        self.head, self.tail = p.var("head", 0), p.var("tail", 0)

    def try_put(self, item):
        tail = self.tail.load()
        if tail - self.head.load() == len(self.slots):
            return False
        self.slots[tail % len(self.slots)].store(item)
        self.fence()
        self.tail.store(tail + 1)
        return True

    def try_get(self):
        head = self.head.load()
        if self.tail.load() == head:
            return None
        item = self.slots[head % len(self.slots)].load()
        self.head.store(head + 1)
        return item


@mcr.program
def retrying_ring(p, capacity=1, items=2):
    """What is put comes out, in order.

    Fails under: nothing
    """
    ring = Ring(p, capacity)

    def producer():
        for item in range(1, items + 1):
            while not ring.try_put(item):
                pass

    def consumer():
        for expected in range(1, items + 1):
            while (item := ring.try_get()) is None:
                pass
            assert item == expected, f"{item} came instead of {expected}"

    p.thread(producer)
    p.thread(consumer)


class CircularBuffer:
    """A buffer under a mutex, with two flags that say whose turn it is."""

    def __init__(self, p, size):
        self.mutex = p.mutex("mutex")
        self.items = p.array("items", [0] * size)
        self.first, self.next = p.var("first", 0), p.var("next", 0)
        self.sends, self.receives = p.var("sends", True), p.var("receives", False)

    def insert(self, item):
        place = self.next.load()
        self.items[place].store(item)
        self.next.store((place + 1) % len(self.items))

    def remove(self):
        place = self.first.load()
        self.first.store((place + 1) % len(self.items))
        return self.items[place].load()


@mcr.program
def circular_buffer(p, values=2, size=10):
    """A sender and a receiver that look whose turn it is, and miss it if it is the other's.

    Fails under: nothing
    """
    buffer = CircularBuffer(p, size)

    def sender():
        for value in range(values):
            with buffer.mutex:
                if buffer.sends.load():
                    buffer.insert(value)
                    buffer.sends.store(False)
                    buffer.receives.store(True)

    def receiver():
        expected = 0
        for _ in range(values):
            with buffer.mutex:
                if buffer.receives.load():
                    item = buffer.remove()
                    buffer.receives.store(False)
                    buffer.sends.store(True)
                    assert item <= expected + values, f"{item} was never sent"
                    expected += 1

    p.thread(sender)
    p.thread(receiver)


class LazyList:
    """The lazy list of Heller et al.: search without locks, lock two nodes, look whether they are still neighbours."""

    def __init__(self, p, keys):
        self.p = p
        self.locks = {}
        last = self.node(float("inf"), None)
        for key in sorted(keys, reverse=True):
            last = self.node(key, last)
        self.head = self.node(float("-inf"), last)

    def node(self, key, following):
        return self.p.record("node", key=key, next=following, marked=False, locked=False)

    def search(self, key):
        before = self.head
        here = before.next.load()
        while here.key.load() < key:
            before, here = here, here.next.load()
        return before, here

    def lock(self, node):
        while node.locked.exchange(True):
            pass

    def unlock(self, node):
        node.locked.store(False)

    def are_neighbours(self, before, here):
        return not before.marked.load() and not here.marked.load() and before.next.load() == here

    def change(self, key, action):
        """Do something to the two nodes around a key while nobody else does; look again if somebody did."""
        while True:
            before, here = self.search(key)
            self.lock(before)
            self.lock(here)
            try:
                if self.are_neighbours(before, here):
                    return action(before, here)
            finally:
                self.p.store_fence()
                self.unlock(here)
                self.unlock(before)

    def add(self, key):
        def insert(before, here):
            if here.key.load() == key:
                return False
            node = self.node(key, here)
            self.p.store_fence()
            before.next.store(node)
            return True

        return self.change(key, insert)

    def remove(self, key):
        def take_out(before, here):
            if here.key.load() != key:
                return False
            here.marked.store(True)
            self.p.store_fence()
            before.next.store(here.next.load())
            return True

        return self.change(key, take_out)

    def contains(self, key):
        here = self.head
        while here.key.load() < key:
            here = here.next.load()
        return here.key.load() == key and not here.marked.load()


@mcr.program
def lazy_list(p):
    """One adds, one removes the neighbour, one looks: what was added is there, what was removed is not.

    Fails under: nothing
    """
    numbers = LazyList(p, [1])
    changes = [p.thread(numbers.add, 2), p.thread(numbers.remove, 1)]
    p.thread(numbers.contains, 2)

    @p.final
    def both_happened():
        assert all(change.join() for change in changes)
        assert numbers.contains(2)
        assert not numbers.contains(1)


@mcr.program
def impatient_seqlock(p, readers=1, rounds=1):
    """Readers begin again, by a plain `continue`, while a writer is there.

    Fails under: nothing
    """
    sequence, x, y = p.var("sequence", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        for i in range(1, rounds + 1):
            sequence.store(sequence.load() + 1)
            p.store_fence()
            x.store(i)
            y.store(i)
            p.store_fence()
            sequence.store(sequence.load() + 1)

    def reader():
        while True:
            before = sequence.load()
            if before % 2:
                continue
            point = x.load(), y.load()
            if sequence.load() != before:
                continue
            assert point[0] == point[1], f"half a write was read: {point}"
            return

    p.thread(writer)
    for _ in range(readers):
        p.thread(reader)
