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
        self.answers = queue.SimpleQueue()

    def send(self, data):
        answer = consts.LABEL_VALUE, "pong"
        if BEGINS_WITH_ITS_KIND:
            number, _ = brine.load(data[1:])
            self.answers.put(brine.I1.pack(consts.MSG_REPLY) + brine.dump((number, answer)))
        else:
            _, number, _ = brine.load(data)
            self.answers.put(brine.dump((consts.MSG_REPLY, number, answer)))

    def poll(self, timeout):
        return True

    def recv(self):
        return self.answers.get()

    def close(self):
        pass


def two_threads_wait_for_answers():
    """5.3.1: Deadlock. 6.0.0: verified."""
    connection = Connection(VoidService(), Channel(), {"sync_request_timeout": None})
    requests = [connection.async_request(consts.HANDLE_PING, "ping") for _ in range(2)]
    threads = [threading.Thread(target=request.wait) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
