"""astropy #11221: a lazy property is computed by two threads.

Versions: --no-deps --only-binary=astropy --python-version=3.9 --platform=manylinux2010_x86_64 astropy==4.2; \
--no-deps --only-binary=astropy --python-version=3.9 --platform=manylinux2010_x86_64 astropy==4.3

Of the package, whose C code is for an older Python, only `astropy.utils.decorators` is imported, which needs two names
of the package erfa.
"""

import sys
import threading
from types import SimpleNamespace

from tests.ordinary.reports._bare import bare

sys.modules["erfa"] = SimpleNamespace(ErfaError=ValueError, ErfaWarning=UserWarning)
bare("astropy")
bare("astropy.utils")

from astropy.utils.decorators import lazyproperty  # noqa: E402


class Table:
    @lazyproperty
    def columns(self):
        return []


def two_threads_ask_for_a_lazy_property():
    """4.2: AssertionError. 4.3: verified."""
    table = Table()
    found = []
    threads = [threading.Thread(target=lambda: found.append(table.columns)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
