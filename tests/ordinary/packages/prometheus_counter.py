"""prometheus_client: Counter has a lock.

Package: prometheus_client==0.23.1
"""

from prometheus_client import Counter

import mcr


@mcr.program
def prometheus_counter(p):
    """Two count.

    Verified
    """
    counter = p.share(Counter("things", "Things.", registry=None))
    p.thread(counter.inc)
    p.thread(counter.inc)

    @p.final
    def both():
        assert counter._value.get() == 2


@mcr.program
def prometheus_labels(p):
    """Two ask for one label, and count in one place.

    Verified
    """
    counter = p.share(Counter("things", "Things.", ["kind"], registry=None))

    def count():
        counter.labels("a").inc()

    p.thread(count)
    p.thread(count)

    @p.final
    def both():
        assert counter.labels("a")._value.get() == 2
