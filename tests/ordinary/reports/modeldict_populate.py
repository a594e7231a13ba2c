"""adamchainz/django-modeldict #18: another thread empties the local cache between filling and reading it.

Versions: 2to3 django-modeldict==1.4.1

Django, of which this class needs a default only, is replaced by an empty module.
"""

import sys
import threading
from types import SimpleNamespace

sys.modules["django.core.cache"] = SimpleNamespace(cache=None)
sys.modules["modeldict.models"] = SimpleNamespace(ModelDict=None)
for name in ("django", "django.core"):
    sys.modules[name] = SimpleNamespace()

from modeldict.base import CachedDict  # noqa: E402


class RemoteCache(dict):
    """A cache that forgets what it likes."""

    def set(self, key, value):
        self[key] = value

    add = dict.setdefault


class Values(CachedDict):
    def _get_cache_data(self):
        return {"a": 1}


def two_requests_read():
    """1.4.1: TypeError."""
    remote = RemoteCache()
    values = Values(remote)
    assert values["a"] == 1
    remote.clear()
    values._cleanup()
    other = threading.Thread(target=lambda: values["a"])
    other.start()
    assert values["a"] == 1
    other.join()
