"""CPython gh-142763: the cache of recent zones is an OrderedDict without a lock (the pure module).

Versions: none
"""

import threading
from zoneinfo import _zoneinfo


class Zone(_zoneinfo.ZoneInfo):
    @classmethod
    def _new_instance(cls, key):
        made = object.__new__(cls)
        made._key = key
        return made


def two_threads_ask_for_zones():
    """KeyError."""
    Zone._strong_cache_size = 1
    threads = [threading.Thread(target=Zone, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
