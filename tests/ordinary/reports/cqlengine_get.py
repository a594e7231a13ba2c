"""cqlengine PR 155: a queue that is not empty is emptied by another thread, and get() waits for ever.

Versions: 2to3 cqlengine==0.11.0; 2to3 cqlengine==0.12.0

Of the package only `cqlengine.connection` is imported; the driver of the database, which Python 3 cannot import, is
replaced by empty modules.
"""

import sys
import threading
from types import SimpleNamespace

from tests.ordinary.reports._bare import bare


class Error(Exception):
    pass


query = sys.modules["cql.query"] = SimpleNamespace(cql_quote=None)
sys.modules["cql"] = SimpleNamespace(OperationalError=Error, ProgrammingError=Error, query=query)
for name in ("thrift", "thrift.transport", "thrift.transport.TTransport"):
    sys.modules[name] = SimpleNamespace(TTransportException=Error)
bare("cqlengine")

from cqlengine.connection import ConnectionPool  # noqa: E402


class Pool(ConnectionPool):
    def _create_connection(self):
        return "new connection"


def two_threads_get_a_connection():
    """0.11.0: Deadlock. 0.12.0: verified."""
    pool = Pool(["a"])
    pool.put("connection")
    other = threading.Thread(target=pool.get)
    other.start()
    assert pool.get() in ("connection", "new connection")
    other.join()
