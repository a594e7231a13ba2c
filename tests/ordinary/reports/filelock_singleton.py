"""tox-dev/filelock PR 581: two threads ask for the one lock of a file and get two.

Versions: filelock==3.29.4; filelock==3.29.7
"""

import threading

from filelock import SoftFileLock


def two_threads_ask_for_the_lock():
    """3.29.4: AssertionError. 3.29.7: verified."""
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(SoftFileLock("a.lock", is_singleton=True))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
