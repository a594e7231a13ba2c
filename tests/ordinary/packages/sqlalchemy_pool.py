"""SQLAlchemy: the overflow of a pool (frontrun's case study 8).

Package: sqlalchemy==2.0.44
"""

from sqlalchemy.pool import QueuePool

import mcr


@mcr.program
def sqlalchemy_overflow(p):
    """A pool without a limit counts two connections as one (study 8).

    Fails: AssertionError
    """
    pool = p.share(QueuePool(lambda: None, max_overflow=-1))
    p.thread(pool._inc_overflow)
    p.thread(pool._inc_overflow)

    @p.final
    def two():
        assert pool._overflow == 2 - pool._pool.maxsize


@mcr.program
def sqlalchemy_overflow_with_a_limit(p):
    """With a limit it takes its lock.

    Verified
    """
    pool = p.share(QueuePool(lambda: None, max_overflow=10))
    p.thread(pool._inc_overflow)
    p.thread(pool._inc_overflow)

    @p.final
    def two():
        assert pool._overflow == 2 - pool._pool.maxsize
