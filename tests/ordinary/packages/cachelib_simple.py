"""cachelib 0.13: SimpleCache, flask-caching's issue 572.

Package: cachelib==0.13.0
"""

from cachelib import SimpleCache

import mcr


@mcr.program
def cachelib_set(p):
    """Who prunes goes through the dictionary while somebody else adds to it.

    Fails: RuntimeError
    """
    cache = SimpleCache(threshold=1)
    cache.set("one", 1)
    cache.set("two", 2)
    cache = p.share(cache)
    p.thread(cache.set, "three", 3)
    p.thread(cache.set, "four", 4)
