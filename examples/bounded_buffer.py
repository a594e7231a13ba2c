"""Bounded buffer: a monitor with two condition variables for producers and consumers."""

import mcr


class BoundedBuffer:
    def __init__(self, p, capacity):
        self.capacity = capacity
        self.items, self.mutex = p.var("items", ()), p.mutex("mutex")
        self.not_empty = p.condition("not empty", self.mutex)
        self.not_full = p.condition("not full", self.mutex)

    def put(self, item):
        with self.mutex:
            self.not_full.wait_for(lambda: len(self.items.load()) < self.capacity)
            self.items.store((*self.items.load(), item))
            self.not_empty.notify()

    def get(self):
        with self.mutex:
            self.not_empty.wait_for(self.items.load)
            return self.remove()

    def get_without_second_look(self):
        """Takes a notification for a promise that there is an item."""
        with self.mutex:
            if not self.items.load():
                self.not_empty.wait()
            return self.remove()

    def remove(self):
        first, *rest = self.items.load()
        self.items.store(tuple(rest))
        self.not_full.notify()
        return first


def produce_and_consume(p, buffer, get):
    """One producer of two items, two consumers of one item each."""
    items = [1, 2]

    def producer():
        for item in items:
            buffer.put(item)

    p.thread(producer)
    consumers = [p.thread(get) for _ in items]

    @p.final
    def everything_arrived():
        assert sorted(consumer.join() for consumer in consumers) == items


@mcr.program
def bounded_buffer(p, capacity=1):
    """Who was notified looks again, since another thread may have been faster.

    Fails under: nothing
    """
    buffer = BoundedBuffer(p, capacity)
    produce_and_consume(p, buffer, buffer.get)


@mcr.program
def bounded_buffer_if(p, capacity=1):
    """`if` instead of `while` around the wait: the item is gone when the notified consumer gets the mutex.

    Fails under: SC, TSO, PSO
    """
    buffer = BoundedBuffer(p, capacity)
    produce_and_consume(p, buffer, buffer.get_without_second_look)
