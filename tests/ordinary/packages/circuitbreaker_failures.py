"""circuitbreaker: failures are counted without a lock.

Package: circuitbreaker==2.1.3
"""

from circuitbreaker import CircuitBreaker

import mcr


@mcr.program
def circuitbreaker_failures(p):
    """Two failures are counted as one, and the circuit stays closed.

    Fails: AssertionError
    """
    breaker = p.share(CircuitBreaker(failure_threshold=2))

    def fail():
        raise ValueError

    def call():
        try:
            breaker.call(fail)
        except ValueError:
            pass

    p.thread(call)
    p.thread(call)

    @p.final
    def two():
        assert breaker.failure_count == 2
