"""Jinja2 2.10.1: LRUCache, PR 1000.

Package: jinja2==2.10.1 markupsafe==2.0.1
"""

import collections
import collections.abc

for _name in ("Mapping", "MutableMapping", "Sequence", "Iterable"):
    setattr(collections, _name, getattr(collections.abc, _name))  # where they were when this version was written

from jinja2.utils import LRUCache

import mcr


@mcr.program
def jinja2_setdefault(p):
    """`setdefault` takes a lock that it has.

    Fails: Deadlock
    """
    cache = p.share(LRUCache(2))
    p.thread(cache.setdefault, "key", 1)
    p.thread(cache.get, "key")
