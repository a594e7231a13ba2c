"""bidict: for one thread.

Package: bidict==0.23.1
"""

from bidict import bidict

import mcr


@mcr.program
def bidict_put(p):
    """Two give one value two keys.

    Fails: AssertionError
    """
    table = p.share(bidict())

    def put(key):
        try:
            table.put(key, "value")
        except Exception:
            pass

    p.thread(put, 1)
    p.thread(put, 2)

    @p.final
    def one_to_one():
        assert len(table) == len(table.inverse)
