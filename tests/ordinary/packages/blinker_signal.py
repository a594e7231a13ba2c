"""blinker: Signal.

Package: blinker==1.9.0
"""

from blinker import Signal

import mcr


class Listener:
    def __init__(self):
        self.told = []

    def tell(self, sender):
        self.told.append(sender)


@mcr.program
def blinker_send(p):
    """Who connects while another thread sends is told or not, and nothing breaks.

    Verified
    """
    signal, listener = p.share(Signal()), p.share(Listener())

    def connect():
        signal.connect(listener.tell, weak=False)

    p.thread(connect)
    p.thread(signal.send, 1)

    @p.final
    def at_most_once():
        assert listener.told in ([], [1])
