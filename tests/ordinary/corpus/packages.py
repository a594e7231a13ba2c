"""Classes of packages as they come from PyPI, checked as they are.

The last line of each program says what is found under SC: "Verified", or how it fails. Those that say of themselves
that they are for one thread, or for a lock around them, are shown without it as well.
"""

import threading

import cachetools
import cachetools.keys
import events
import pylru
import ratelimit
import zict
from readerwriterlock import rwlock

import mcr


class Pair:
    def __init__(self):
        self.left = 0
        self.right = 0


# -- cachetools ----------------------------------------------------------------


@mcr.program
def cachetools_cache(p, threads=2):
    """A cache without a lock: it counts its items wrongly.

    Fails: AssertionError
    """
    cache = p.share(cachetools.Cache(maxsize=9))
    for number in range(threads):
        p.thread(cache.__setitem__, number, "value")

    @p.final
    def size_is_right():
        assert cache.currsize == len(cache), "the size is wrong"


@mcr.program
def cachetools_get(p, threads=2):
    """`get` without a lock: what is there when it asks is gone when it looks.

    Fails: KeyError
    """
    cache = cachetools.Cache(maxsize=9)
    cache["key"] = "value"
    cache = p.share(cache)
    p.thread(cache.__delitem__, "key")
    for _ in range(threads - 1):
        p.thread(cache.get, "key")


class _Squares:
    """What a cached method is for, with the lock that cachetools asks for."""

    def __init__(self):
        self.cache = cachetools.Cache(maxsize=9)
        self.lock = threading.Lock()
        self.computed = 0

    def square(self, number):
        key = cachetools.keys.hashkey(number)
        with self.lock:
            if key in self.cache:
                return self.cache[key]
        self.computed += 1
        value = number * number
        with self.lock:
            return self.cache.setdefault(key, value)


@mcr.program
def cachetools_with_lock(p, threads=2):
    """With a lock around each access the cache is in order.

    Verified
    """
    squares = p.share(_Squares())
    callers = [p.thread(squares.square, number) for number in range(threads)]

    @p.final
    def size_is_right():
        assert [caller.join() for caller in callers] == [number * number for number in range(threads)]
        assert squares.cache.currsize == len(squares.cache) == threads


@mcr.program
def cachetools_computes_twice(p, threads=2):
    """The lock is not held while the value is computed, so that it may be computed twice.

    Fails: AssertionError
    """
    squares = p.share(_Squares())
    for _ in range(threads):
        p.thread(squares.square, 3)

    @p.final
    def computed_once():
        assert squares.computed == 1, "not computed once"


# -- others --------------------------------------------------------------------


@mcr.program
def events_first_subscribers(p, threads=2):
    """The slot of an event is made when it is first asked for: two make one each, and a subscriber is lost.

    Fails: AssertionError
    """
    shared = p.share(events.Events())

    def subscribe(number):
        shared.on_change += number

    for number in range(threads):
        p.thread(subscribe, number)

    @p.final
    def nobody_is_lost():
        assert len(shared.on_change) == threads, "a subscriber was lost"


@mcr.program
def pylru_get(p, threads=2):
    """`get` asks whether the key is there, and looks: it is gone in between.

    Fails: KeyError
    """
    cache = pylru.lrucache(1)
    cache["old"] = 1
    cache = p.share(cache)
    p.thread(cache.__setitem__, "new", 2)
    for _ in range(threads - 1):
        p.thread(cache.get, "old")


@mcr.program
def ratelimit_decorator(p, threads=2):
    """Its lock keeps the limit; the clock is passed in.

    Verified
    """
    limiter = ratelimit.RateLimitDecorator(calls=1, period=1, clock=lambda: 0, raise_on_limit=False)
    call = limiter(lambda: "done")
    limiter = p.share(limiter)
    callers = [p.thread(call) for _ in range(threads)]

    @p.final
    def the_limit_holds():
        assert [caller.join() for caller in callers].count("done") == 1


def _exclusion(p, lock, threads):
    """A writer changes two values, readers find them equal."""
    shared = p.share(Pair())

    def write():
        with lock.gen_wlock():
            shared.left += 1
            shared.right += 1

    def read():
        with lock.gen_rlock():
            assert shared.left == shared.right, "seen half written"

    p.thread(write)
    for _ in range(threads - 1):
        p.thread(read)


@mcr.program
def readerwriterlock_read(p, threads=2):
    """The lock that prefers readers.

    Verified
    """
    lock = p.share(rwlock.RWLockRead())
    _exclusion(p, lock, threads)


@mcr.program
def readerwriterlock_write(p, threads=2):
    """The lock that prefers writers.

    Verified
    """
    lock = p.share(rwlock.RWLockWrite())
    _exclusion(p, lock, threads)


@mcr.program
def readerwriterlock_fair(p, threads=2):
    """The lock that prefers nobody.

    Verified
    """
    lock = p.share(rwlock.RWLockFair())
    _exclusion(p, lock, threads)


@mcr.program
def zict_lru(p, threads=2):
    """Each insertion evicts while the total is too large; both see it so, and nothing is left.

    Fails: AssertionError
    """
    cache = p.share(zict.LRU(1, {}))
    for number in range(threads):
        p.thread(cache.__setitem__, number, "value")

    @p.final
    def one_is_left():
        assert len(cache) == 1, "too much was evicted"
