"""PyDispatcher: receivers (frontrun's case study 4).

Package: pydispatcher==2.0.7
"""

from pydispatch import dispatcher

import mcr


@mcr.program
def receivers(p):
    """Two threads connect a receiver each to one signal: one receiver is gone (study 4).

    Refused: its tables are global variables of a module
    """

    def first():
        return 1

    def second():
        return 2

    p.thread(dispatcher.connect, first, "signal", "sender", False)
    p.thread(dispatcher.connect, second, "signal", "sender", False)

    @p.final
    def both_are_connected():
        assert len(dispatcher.getReceivers("sender", "signal")) == 2
