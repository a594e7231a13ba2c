"""Issue 214 of webpy: the lock of a key is made twice; version 0.40 is the oldest that Python 3 can import.

Versions: web.py==0.40
"""

import threading

from web.utils import Memoize


def two_threads_ask_for_a_page():
    """0.40: verified."""
    page = Memoize(lambda name: "page " + name)
    threads = [threading.Thread(target=page, args=("a",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
