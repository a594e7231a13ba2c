"""tomerfiliba-org/rpyc #354, #490: a thread takes the receive lock to wait for an answer that has come already.

Versions: rpyc==5.3.1; rpyc==6.0.0
"""

import queue
import threading

from rpyc import version
from rpyc.core import brine, consts
from rpyc.core.protocol import Connection
from rpyc.core.service import VoidService

BEGINS_WITH_ITS_KIND = int(version.version[0]) >= 6
"""Whether a message begins with a byte that says what it is."""


class Channel:
    """The other side answers each request at once."""

    def __init__(self):
        self.answers = queue.Queue()
        self.next = None

    def send(self, data):
        answer = consts.LABEL_VALUE, "pong"
        if BEGINS_WITH_ITS_KIND:
            number, _ = brine.load(data[1:])
            self.answers.put(brine.I1.pack(consts.MSG_REPLY) + brine.dump((number, answer)))
        else:
            _, number, _ = brine.load(data)
            self.answers.put(brine.dump((consts.MSG_REPLY, number, answer)))

    def poll(self, timeout):
        self.next = self.answers.get()
        return True

    def recv(self):
        return self.next

    def close(self):
        pass


def two_threads_send_requests():
    """5.3.1: Deadlock. 6.0.0: verified."""
    connection = Connection(VoidService(), Channel(), {"sync_request_timeout": None})
    other = threading.Thread(target=connection.sync_request, args=(consts.HANDLE_PING, "ping"))
    other.start()
    connection.sync_request(consts.HANDLE_PING, "ping")
    other.join()
