"""Jinja2 3.1.6: LRUCache.

Package: jinja2==3.1.6
"""

from jinja2.utils import LRUCache

import mcr


@mcr.program
def jinja2_setdefault(p):
    """The mended version of PR 1000.

    Verified
    """
    cache = p.share(LRUCache(2))
    one, two = p.thread(cache.setdefault, "key", 1), p.thread(cache.setdefault, "key", 2)

    @p.final
    def one_value():
        assert one.join() in (1, 2) and cache["key"] in (one.join(), two.join())


@mcr.program
def jinja2_items(p):
    """`items` looks up what another thread has thrown out.

    Fails: KeyError
    """
    cache = LRUCache(1)
    cache["old"] = 1
    cache = p.share(cache)
    p.thread(cache.__setitem__, "new", 2)
    p.thread(cache.items)
