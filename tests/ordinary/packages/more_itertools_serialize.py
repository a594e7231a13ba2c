"""more_itertools: serialize lets one thread in at a time.

Package: more_itertools==11.2.1
"""

from more_itertools.more import serialize

import mcr


class Numbers:
    def __init__(self):
        self.last = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.last += 1
        return self.last


@mcr.program
def more_itertools_serialize(p):
    """No number is given twice.

    Verified
    """
    numbers = p.share(serialize(Numbers()))
    one, two = p.thread(next, numbers), p.thread(next, numbers)

    @p.final
    def different():
        assert {one.join(), two.join()} == {1, 2}
