"""Mako: LRUCache is for one thread.

Package: mako==1.3.10
"""

from mako.util import LRUCache

import mcr


@mcr.program
def mako_lru(p):
    """Two set: whoever manages the size begins again where another thread has deleted.

    Verified
    """
    cache = LRUCache(1)
    cache["old"] = 0
    cache = p.share(cache)
    p.thread(cache.__setitem__, "one", 1)
    p.thread(cache.__setitem__, "two", 2)
