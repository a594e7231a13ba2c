"""token_bucket: its documented race.

Package: token_bucket==0.3.0
"""

from token_bucket import Limiter, MemoryStorage

import mcr


@mcr.program
def token_bucket_consume(p):
    """Two take the only token.

    Fails: AssertionError
    """
    limiter = p.share(Limiter(1, 1, MemoryStorage()))
    one, two = p.thread(limiter.consume, "key"), p.thread(limiter.consume, "key")

    @p.final
    def one_token():
        assert not (one.join() and two.join() and limiter._storage.get_token_count("key") < 0), "below zero"
