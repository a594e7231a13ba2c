"""cachetools 8: TTLCache, its issue 115, and the decorator's lock and condition.

Package: cachetools==8.0.1
"""

import threading

from cachetools import TTLCache, cached

import mcr


@mcr.program
def cachetools_ttl(p):
    """Without a lock: one thread expires items while another one sets.

    Fails: KeyError
    """
    cache = TTLCache(maxsize=2, ttl=10)
    cache["old"] = 0
    cache = p.share(cache)
    p.thread(cache.__setitem__, "one", 1)
    p.thread(cache.__setitem__, "two", 2)


@mcr.program
def cachetools_ttl_with_lock(p):
    """The decorator with a lock.

    Verified
    """

    @cached(cache=TTLCache(maxsize=2, ttl=10), lock=threading.Lock())
    def square(number):
        return number * number

    p.share(square)
    one, two = p.thread(square, 3), p.thread(square, 3)

    @p.final
    def right():
        assert one.join() == two.join() == 9


@mcr.program
def cachetools_ttl_with_condition(p):
    """The decorator with a condition: nobody computes what somebody is computing.

    Verified
    """
    calls = p.share([])

    @cached(cache={}, condition=threading.Condition())
    def square(number):
        calls.append(number)
        return number * number

    p.share(square)
    one, two = p.thread(square, 3), p.thread(square, 3)

    @p.final
    def once():
        assert one.join() == two.join() == 9
        assert len(calls) == 1
