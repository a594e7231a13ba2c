"""boltons: LRU has a lock, ThresholdCounter has none.

Package: boltons==25.0.0
"""

from boltons.cacheutils import LRU, ThresholdCounter

import mcr


@mcr.program
def boltons_lru(p):
    """Two set more than there is room for.

    Verified
    """
    cache = p.share(LRU(max_size=1))
    p.thread(cache.__setitem__, "one", 1)
    p.thread(cache.__setitem__, "two", 2)

    @p.final
    def one_is_left():
        assert len(cache) == 1


@mcr.program
def boltons_lru_get(p):
    """One sets, one gets: it is there or it is not.

    Verified
    """
    cache = LRU(max_size=1)
    cache["old"] = 0
    cache = p.share(cache)
    p.thread(cache.__setitem__, "new", 1)
    got = p.thread(cache.get, "old")

    @p.final
    def nothing_else():
        assert got.join() in (0, None)


@mcr.program
def boltons_counter(p):
    """Two count; one is lost.

    Fails: AssertionError
    """
    counter = p.share(ThresholdCounter())
    p.thread(counter.add, "word")
    p.thread(counter.add, "word")

    @p.final
    def both():
        assert counter["word"] == 2
