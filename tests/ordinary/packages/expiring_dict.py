"""expiringdict: ExpiringDict has a lock.

Package: expiringdict==1.2.2
"""

from expiringdict import ExpiringDict

import mcr


@mcr.program
def expiring_dict_set(p):
    """Two set more than there is room for.

    Verified
    """
    table = p.share(ExpiringDict(max_len=1, max_age_seconds=10))
    p.thread(table.__setitem__, "one", 1)
    p.thread(table.__setitem__, "two", 2)

    @p.final
    def one_is_left():
        assert len(table) == 1


@mcr.program
def expiring_dict_get(p):
    """What is set is found, unless it is too old.

    Verified
    """
    table = p.share(ExpiringDict(max_len=2, max_age_seconds=10))
    p.thread(table.__setitem__, "one", 1)
    got = p.thread(table.get, "one")

    @p.final
    def nothing_else():
        assert got.join() in (None, 1)
