"""SQLAlchemy 2.1: LRUCache, Queue, memoized_property.

Package: sqlalchemy==2.1.0b1
"""

from sqlalchemy.util import LRUCache, memoized_property
from sqlalchemy.util.queue import Queue

import mcr


@mcr.program
def sqlalchemy_lru(p):
    """Two set more than there is room for.

    Verified
    """
    cache = p.share(LRUCache(1))
    p.thread(cache.__setitem__, "one", 1)
    p.thread(cache.__setitem__, "two", 2)

    @p.final
    def some_are_left():
        assert len(cache) >= 1


@mcr.program
def sqlalchemy_queue(p):
    """One puts, one gets.

    Verified
    """
    queue = p.share(Queue(1))
    p.thread(queue.put, 1)
    got = p.thread(queue.get)

    @p.final
    def it_arrives():
        assert got.join() == 1


class Square:
    def __init__(self):
        self.computed = 0

    @memoized_property
    def value(self):
        self.computed += 1
        return 9


@mcr.program
def sqlalchemy_memoized(p):
    """Two compute.

    Fails: AssertionError
    """
    square = p.share(Square())

    def ask():
        return square.value

    p.thread(ask)
    p.thread(ask)

    @p.final
    def once():
        assert square.computed == 1
