"""encode/httpcore #1110: a connection that a waiting request was given is closed as one too many.

Versions: httpcore==1.0.9
"""

import threading

import httpcore
from httpcore import ConnectionInterface


class Connection(ConnectionInterface):
    """Answers each request at once, and is idle before and after it."""

    is_open = True

    def __init__(self, origin):
        self.origin = origin

    def can_handle_request(self, origin):
        return origin == self.origin

    def is_available(self):
        return self.is_open

    def is_idle(self):
        return self.is_open

    def is_closed(self):
        return not self.is_open

    def has_expired(self):
        return False

    def handle_request(self, request):
        assert self.is_open, "closed before the request that it was given to"
        return httpcore.Response(200)

    def close(self):
        self.is_open = False


class Pool(httpcore.ConnectionPool):
    def create_connection(self, origin):
        return Connection(origin)


def requests_to_two_hosts():
    """1.0.9: AssertionError."""
    pool = Pool(max_keepalive_connections=1)

    def ask(host):
        pool.handle_request(httpcore.Request("GET", f"http://{host}/")).close()

    ask("a")
    threads = [threading.Thread(target=ask, args=(host,)) for host in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
