"""pyrate-limiter 4: InMemoryBucket has a lock.

Package: pyrate-limiter==4.5.0
"""

from pyrate_limiter import InMemoryBucket, Rate, RateItem

import mcr


@mcr.program
def pyrate_put(p):
    """One may go in, not two.

    Verified
    """
    bucket = p.share(InMemoryBucket([Rate(1, 1000)]))
    one, two = p.thread(bucket.put, RateItem("a", 0)), p.thread(bucket.put, RateItem("b", 0))

    @p.final
    def one_went_in():
        assert one.join() + two.join() == 1
