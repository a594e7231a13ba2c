"""CPython gh-142763: a zone is made while another thread clears the cache, which has no lock (the pure module).

Versions: none
"""

import threading
from datetime import tzinfo
from zoneinfo import _zoneinfo


class Zone(_zoneinfo.ZoneInfo):
    @classmethod
    def _new_instance(cls, key):
        made = tzinfo.__new__(cls)
        made._key = key
        return made


def a_zone_is_made_while_the_cache_is_cleared():
    """KeyError."""
    Zone._strong_cache_size = 0
    threads = [threading.Thread(target=Zone, args=("one",)), threading.Thread(target=Zone.clear_cache)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
