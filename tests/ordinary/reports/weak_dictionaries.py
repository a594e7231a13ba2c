"""CPython gh-89967: the last iterator over a weak dictionary removes what has died, while another one begins.

Versions: none
"""

import threading
import weakref


class Key:
    pass


def two_threads_iterate():
    """RuntimeError."""
    known = weakref.WeakKeyDictionary()
    keys = [Key(), Key()]
    for key in keys:
        known[key] = 1
    del key

    def look():
        for _ in known:
            keys.clear()

    threads = [threading.Thread(target=look), threading.Thread(target=lambda: list(known))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
