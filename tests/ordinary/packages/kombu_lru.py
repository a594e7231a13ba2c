"""kombu: LRUCache.

Package: kombu==5.5.4
"""

from kombu.utils.functional import LRUCache

import mcr


@mcr.program
def kombu_lru(p):
    """Two set more than there is room for.

    Verified
    """
    cache = p.share(LRUCache(limit=1))
    p.thread(cache.__setitem__, "one", 1)
    p.thread(cache.__setitem__, "two", 2)

    @p.final
    def few_are_left():
        assert 1 <= len(cache) <= 2


@mcr.program
def kombu_incr(p):
    """`incr` has a lock.

    Verified
    """
    cache = LRUCache(limit=2)
    cache["key"] = 0
    cache = p.share(cache)
    p.thread(cache.incr, "key")
    p.thread(cache.incr, "key")

    @p.final
    def both():
        assert int(cache["key"]) == 2
