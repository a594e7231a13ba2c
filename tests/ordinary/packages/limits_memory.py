"""limits 5.8: the storage of a rate limiter, its PR 352.

Package: limits==5.8.0
"""

from limits.storage.memory import MemoryStorage

import mcr


@mcr.program
def limits_timer(p):
    """Two calls find the timer over and start another one: one of the two is started twice.

    Fails: RuntimeError
    """
    storage = p.share(MemoryStorage())
    p.thread(storage.incr, "key", 60)
    p.thread(storage.incr, "key", 60)
