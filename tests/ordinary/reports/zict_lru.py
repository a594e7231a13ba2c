"""dask/zict #69: the heap, the dict and the weight of an LRU mapping change apart.

Versions: zict==2.2.0 heapdict; zict==3.0.0
"""

import threading

from zict import LRU


def two_threads_set_and_get():
    """2.2.0: IndexError. 3.0.0: verified."""
    cache = LRU(1, {})
    cache["a"] = 1

    def look():
        try:
            cache["a"]
        except KeyError as error:
            assert error.args == ("a",)

    looking = threading.Thread(target=look)
    looking.start()
    cache["b"] = 2
    looking.join()
    assert cache.total_weight == 1
