"""cachetools: what frontrun's case studies 3 and 11 found in its caches, and held for safe.

Package: cachetools==7.0.1
"""

import threading

from cachetools import Cache, LFUCache, LRUCache, RRCache, TTLCache, cached

import mcr


@mcr.program
def size_of_two_items(p):
    """Two threads set an item each: the size says one (its B1).

    Fails: AssertionError
    """
    cache = p.share(Cache(maxsize=10))
    p.thread(cache.__setitem__, "a", 1)
    p.thread(cache.__setitem__, "b", 2)

    @p.final
    def both_count():
        assert cache.currsize == len(cache) == 2


@mcr.program
def size_of_nothing(p):
    """Two threads delete an item each: the size says one (its B2).

    Fails: AssertionError
    """
    cache = Cache(maxsize=10)
    cache["a"], cache["b"] = 1, 2
    cache = p.share(cache)
    p.thread(cache.__delitem__, "a")
    p.thread(cache.__delitem__, "b")

    @p.final
    def nothing_counts():
        assert cache.currsize == len(cache) == 0


@mcr.program
def size_while_one_is_deleted(p):
    """One thread sets an item, one deletes another: the size is not that of the items (its B7).

    Fails: AssertionError
    """
    cache = Cache(maxsize=10)
    cache["a"] = 1
    cache = p.share(cache)
    p.thread(cache.__setitem__, "b", 2)
    p.thread(cache.__delitem__, "a")

    @p.final
    def it_counts():
        assert cache.currsize == len(cache) == 1


@mcr.program
def least_recently_used(p):
    """One thread looks an item up, one deletes it: its place in the order is gone (its B3).

    Fails: KeyError
    """
    cache = LRUCache(maxsize=10)
    cache["a"] = 1
    cache = p.share(cache)
    p.thread(cache.get, "a")
    p.thread(cache.pop, "a", None)


@mcr.program
def least_frequently_used(p):
    """Two threads look one item up, and one of them fails (its B6).

    Fails: KeyError
    """
    cache = LFUCache(maxsize=10)
    cache["a"], cache["b"] = 1, 2
    cache = p.share(cache)
    p.thread(cache.__getitem__, "a")
    p.thread(cache.__getitem__, "a")


@mcr.program
def random_replacement(p):
    """Two threads set an item each: two keys have one place (its B4).

    Fails: AssertionError
    """
    cache = p.share(RRCache(maxsize=10))
    p.thread(cache.__setitem__, "a", 1)
    p.thread(cache.__setitem__, "b", 2)

    @p.final
    def each_has_a_place():
        places = cache._RRCache__index
        assert all(cache._RRCache__keys[place] == key for key, place in places.items())
        assert cache.currsize == 2


@mcr.program
def hits(p):
    """Two threads call what is cached without a lock: a hit is not counted (its B5).

    Fails: AssertionError
    """

    @cached(cache={}, info=True)
    def square(number):
        return number * number

    square(3)
    p.share(square)
    p.thread(square, 3)
    p.thread(square, 3)

    @p.final
    def both_count():
        assert square.cache_info().hits == 2


@mcr.program
def nested_time(p):
    """Two threads ask a cache with a time to live, whose timer counts how deep it is (its B8).

    Fails: AssertionError
    """
    timer = TTLCache(maxsize=10, ttl=60).timer
    timer = p.share(timer)

    def look():
        with timer:
            pass

    p.thread(look)
    p.thread(look)

    @p.final
    def nobody_is_inside():
        assert timer._Timer__nesting == 0 if hasattr(timer, "_Timer__nesting") else timer._TimedCache__nesting == 0


@mcr.program
def hits_with_lock(p):
    """With a lock each hit is counted (its S1).

    Verified
    """

    @cached(cache={}, lock=threading.Lock(), info=True)
    def square(number):
        return number * number

    p.share(square)
    p.thread(square, 3)
    p.thread(square, 3)

    @p.final
    def all_count():
        info = square.cache_info()
        assert info.hits + info.misses == 2


@mcr.program
def right_with_lock(p):
    """With a lock each call has its own result (its S2).

    Verified
    """

    @cached(cache={}, lock=threading.Lock())
    def square(number):
        return number * number

    p.share(square)
    one, two = p.thread(square, 3), p.thread(square, 4)

    @p.final
    def right():
        assert (one.join(), two.join()) == (9, 16)


@mcr.program
def computed_once_with_condition(p):
    """With a condition nobody computes what somebody is computing (its S3, which it took for a race).

    Verified
    """
    calls = p.share([])

    @cached(cache={}, condition=threading.Condition(), info=True)
    def square(number):
        calls.append(number)
        return number * number

    p.share(square)
    one, two = p.thread(square, 3), p.thread(square, 3)

    @p.final
    def once():
        assert one.join() == two.join() == 9
        assert len(calls) == 1


@mcr.program
def items_of_their_own(p):
    """Two threads set an item each and find it (its S4).

    Verified
    """
    cache = p.share(Cache(maxsize=10))

    def keep(key):
        cache[key] = key
        assert cache[key] == key

    p.thread(keep, "a")
    p.thread(keep, "b")
