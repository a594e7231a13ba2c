"""pybreaker: CircuitBreaker has a lock.

Package: pybreaker==1.4.1
"""

from pybreaker import CircuitBreaker

import mcr


@mcr.program
def pybreaker_failures(p):
    """Two failures are two.

    Verified
    """
    breaker = p.share(CircuitBreaker(fail_max=3))

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
        assert breaker.fail_counter == 2


@mcr.program
def pybreaker_opens(p):
    """It opens at the second failure.

    Verified
    """
    breaker = p.share(CircuitBreaker(fail_max=2))

    def fail():
        raise ValueError

    def call():
        try:
            breaker.call(fail)
        except Exception:
            pass

    p.thread(call)
    p.thread(call)

    @p.final
    def it_is_open():
        assert breaker.current_state == "open"
