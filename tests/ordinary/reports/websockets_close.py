"""websockets #1336: the receiving thread waits in put() for a get(), the other one joins it.

Versions: websockets==11.0.1; websockets==15.0.1
"""

import threading

from websockets.frames import Frame, Opcode
from websockets.sync.messages import Assembler


def one_thread_closes():
    """11.0.1: Deadlock. 15.0.1: verified."""
    messages = Assembler()

    def receive():
        for data in (b"one", b"two"):
            try:
                messages.put(Frame(Opcode.TEXT, data))
            except EOFError:
                return
        messages.close()

    receiving = threading.Thread(target=receive)
    receiving.start()
    assert messages.get() == "one"
    receiving.join()
