"""sortedcontainers: SortedList and SortedDict are for one thread.

Package: sortedcontainers==2.4.0
"""

from sortedcontainers import SortedDict, SortedList

import mcr


@mcr.program
def sorted_list_add(p):
    """Two add; one of them is lost.

    Fails: AssertionError
    """
    items = p.share(SortedList())
    p.thread(items.add, 1)
    p.thread(items.add, 2)

    @p.final
    def both():
        assert list(items) == [1, 2]


@mcr.program
def sorted_dict_set(p):
    """Two set one key: it is in the list twice.

    Fails: AssertionError
    """
    table = p.share(SortedDict())
    p.thread(table.__setitem__, "key", 1)
    p.thread(table.__setitem__, "key", 2)

    @p.final
    def one_key():
        assert list(table) == ["key"]
