"""CPython gh-98624, in the package mock: two threads touch a child of a mock first.

Versions: mock==4.0.3; mock==5.0.0
"""

import threading

from mock import Mock  # noqa: UP026


def two_threads_call_a_child():
    """4.0.3: AssertionError. 5.0.0: verified."""
    service = Mock()
    found = []
    threads = [threading.Thread(target=lambda: found.append(service.child)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
