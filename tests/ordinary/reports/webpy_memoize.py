"""Issue 214 of webpy: the lock of a key is made twice.

Versions: 2to3 web.py==0.37; web.py==0.40

Of the package only `web.utils` is imported; `__builtin__` is a name of Python 2 that 2to3 leaves there.
"""

import builtins
import threading

from tests.ordinary.reports._bare import bare

builtins.__builtin__ = builtins
bare("web")

from web.utils import Memoize  # noqa: E402


def two_threads_ask_for_a_page():
    """0.37: RuntimeError. 0.40: verified."""
    page = Memoize(lambda name: "page " + name)
    threads = [threading.Thread(target=page, args=("a",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
