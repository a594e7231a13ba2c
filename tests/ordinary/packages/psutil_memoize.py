"""psutil 5.8: memoize, its issue 1948.

Package: psutil==5.8.0
"""

from psutil._common import memoize

import mcr


@mcr.program
def psutil_memoize(p):
    """Two threads compute the same value, though it is to be computed once.

    Fails: AssertionError
    """
    calls = p.share([])

    @memoize
    def slow():
        calls.append(1)
        return 1

    p.share(slow)
    p.thread(slow)
    p.thread(slow)

    @p.final
    def once():
        assert len(calls) == 1, "computed twice"


@mcr.program
def psutil_memoize_cleared(p):
    """Who clears the cache while others look loses nothing but time.

    Verified
    """

    @memoize
    def number():
        return 7

    p.share(number)
    first, second = p.thread(number), p.thread(number)
    p.thread(number.cache_clear)

    @p.final
    def all_see_it():
        assert first.join() == second.join() == 7
