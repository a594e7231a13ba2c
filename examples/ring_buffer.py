"""Lamport's ring buffer: one producer, one consumer, no lock."""

import mcr


class RingBuffer:
    """The items put but not taken yet are in slots `head` up to `tail` - 1, counted round the ring."""

    def __init__(self, p, size, store_fence=lambda: None):
        self.p = p
        self.size = size
        self.store_fence = store_fence
        self.slots = p.array("slots", [None] * size)
        self.head, self.tail = p.var("head", 0), p.var("tail", 0)

    def put(self, item):
        tail = self.tail.load()
        self.p.wait_until(lambda: tail < self.head.load() + self.size)
        self.slots[tail % self.size].store(item)
        self.store_fence()
        self.tail.store(tail + 1)

    def take(self):
        head = self.head.load()
        self.p.wait_until(lambda: head < self.tail.load())
        item = self.slots[head % self.size].load()
        self.head.store(head + 1)
        return item


def transfer(p, items, ring):
    """One thread puts the numbers below `items`, another one takes them."""

    def producer():
        for item in range(items):
            ring.put(item)

    def consumer():
        for item in range(items):
            taken = ring.take()
            assert taken == item, f"{item} arrived as {taken}"

    p.thread(producer)
    p.thread(consumer)


@mcr.program
def ring_buffer(p, items=3, size=2):
    """Under PSO the tail may move before the slot is filled.

    Fails under: PSO
    """
    transfer(p, items, RingBuffer(p, size))


@mcr.program
def ring_buffer_fenced(p, items=3, size=2):
    """With a store fence before the tail moves; a slot is emptied before the head moves under every model.

    Fails under: nothing
    """
    transfer(p, items, RingBuffer(p, size, store_fence=p.store_fence))
