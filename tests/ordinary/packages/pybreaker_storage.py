"""pybreaker: its storage alone (frontrun's case study 6).

Package: pybreaker==1.4.1
"""

from pybreaker import CircuitMemoryStorage

import mcr


@mcr.program
def pybreaker_counter(p):
    """Two failures are counted as one by the storage alone (study 6).

    Fails: AssertionError
    """
    storage = p.share(CircuitMemoryStorage("closed"))
    p.thread(storage.increment_counter)
    p.thread(storage.increment_counter)

    @p.final
    def two():
        assert storage.counter == 2
