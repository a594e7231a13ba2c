"""sqlalchemy-continuum #390: units of work are removed while other sessions' threads add theirs.

Versions: SQLAlchemy-Continuum==1.6.0 sqlalchemy<2.1
"""

import threading

from sqlalchemy_continuum.manager import VersioningManager


class Connection:
    closed = False

    def __init__(self):
        self.connection = object()


class Session:
    def __init__(self):
        self.of = Connection()

    def connection(self):
        return self.of

    def in_nested_transaction(self):
        return False


def two_sessions_end():
    """1.6.0: KeyError."""
    manager = VersioningManager()
    sessions = [Session(), Session()]
    for session in sessions:
        manager.unit_of_work(session)
        session.of.closed = True
    threads = [threading.Thread(target=manager.clear, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
