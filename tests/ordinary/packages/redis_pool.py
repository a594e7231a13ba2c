"""redis 3.2.1: ConnectionPool, its issue 906.

Package: redis==3.2.1
"""

import os

from redis.connection import Connection, ConnectionPool

import mcr


class Quiet(Connection):
    def __init__(self, **arguments):
        self.pid = os.getpid()

    def connect(self):
        pass

    def disconnect(self):
        pass


@mcr.program
def redis_pool_limit(p):
    """Two use a pool of one connection: more than one is made.

    Fails: AssertionError
    """
    pool = p.share(ConnectionPool(connection_class=Quiet, max_connections=1))

    def use():
        try:
            pool.release(pool.get_connection("GET"))
        except Exception:
            pass

    p.thread(use)
    p.thread(use)

    @p.final
    def as_many_as_allowed():
        assert pool._created_connections <= 1, "more connections than allowed"
