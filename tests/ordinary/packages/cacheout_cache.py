"""cacheout: Cache has a lock.

Package: cacheout==0.16.0
"""

from cacheout import Cache

import mcr


@mcr.program
def cacheout_set(p):
    """Two set more than there is room for.

    Verified
    """
    cache = p.share(Cache(maxsize=1))
    p.thread(cache.set, "one", 1)
    p.thread(cache.set, "two", 2)

    @p.final
    def one_is_left():
        assert len(cache) == 1
