"""cached_property 1.5.2: the plain one and the one for threads.

Package: cached_property==1.5.2
"""

from cached_property import cached_property, threaded_cached_property

import mcr


class Plain:
    def __init__(self):
        self.computed = 0

    @cached_property
    def value(self):
        self.computed += 1
        return 9


class Threaded:
    def __init__(self):
        self.computed = 0

    @threaded_cached_property
    def value(self):
        self.computed += 1
        return 9


def _twice(p, thing):
    def ask():
        return thing.value

    one, two = p.thread(ask), p.thread(ask)

    @p.final
    def once():
        assert one.join() == two.join() == 9
        assert thing.computed == 1


@mcr.program
def cached_property_plain(p):
    """Two compute.

    Fails: AssertionError
    """
    _twice(p, p.share(Plain()))


@mcr.program
def cached_property_threaded(p):
    """The lock of the property.

    Verified
    """
    _twice(p, p.share(Threaded()))
