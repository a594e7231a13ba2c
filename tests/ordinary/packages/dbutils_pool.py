"""DBUtils: PooledDB.

Package: dbutils==3.1.2
"""

from dbutils.pooled_db import PooledDB

import mcr


class Connection:
    def __init__(self):
        self.closed = False

    def close(self):
        self.closed = True

    def rollback(self):
        pass

    def cursor(self):
        raise NotImplementedError


class Module:
    threadsafety = 2

    class Error(Exception):
        pass

    OperationalError = InterfaceError = InternalError = Error


class Source:
    threadsafety = 2
    dbapi = Module

    def connect(self):
        return Connection()


@mcr.program
def dbutils_pool(p):
    """A pool of one connection gives it to one at a time.

    Verified
    """
    pool = p.share(PooledDB(Source(), maxconnections=1, blocking=True, failures=(ValueError,)))

    def use():
        pool.connection(shareable=False).close()

    p.thread(use)
    p.thread(use)
