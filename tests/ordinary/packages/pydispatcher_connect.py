"""PyDispatcher: receivers (frontrun's case study 4).

Package: pydispatcher==2.0.7
"""

from pydispatch import dispatcher

import mcr

SENDER = object()


def first():
    return 1


def second():
    return 2


@mcr.program
def receivers(p):
    """Two threads connect a receiver each to one signal: one receiver is gone (study 4).

    Fails: AssertionError
    """
    p.share(dispatcher)

    p.thread(dispatcher.connect, first, "signal", SENDER, False)
    p.thread(dispatcher.connect, second, "signal", SENDER, False)

    @p.final
    def both_are_connected():
        assert len(dispatcher.getReceivers(SENDER, "signal")) == 2
