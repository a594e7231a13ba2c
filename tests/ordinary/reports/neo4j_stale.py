"""neo4j-python-driver PR 630: a connection that is in use is closed as it is stale.

Versions: neo4j==4.4.0
"""

import threading

from neo4j.conf import PoolConfig, WorkspaceConfig
from neo4j.io import IOPool


class Connection:
    in_use = False

    def __init__(self):
        self.is_closed = self.is_stale = False

    def closed(self):
        return self.is_closed

    def defunct(self):
        return False

    def stale(self):
        return self.is_stale

    def close(self):
        assert not self.in_use, "closed while it is in use"
        self.is_closed = True


class Pool(IOPool):
    def acquire(self):
        return self._acquire("a", 1)


def a_connection_becomes_stale():
    """4.4.0: AssertionError."""
    pool = Pool(lambda address, timeout: Connection(), PoolConfig(), WorkspaceConfig())

    def use():
        connection = pool.acquire()
        connection.is_stale = True
        assert not connection.is_closed

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
