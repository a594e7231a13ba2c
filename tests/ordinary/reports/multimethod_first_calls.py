"""coady/multimethod #73: a dict changes its size while the parents of a signature are looked for.

Versions: multimethod==1.9; multimethod==1.9.1
"""

import threading

from multimethod import multimethod


@multimethod
def size(value: object):
    return 0


@multimethod
def size(value: int):  # noqa: F811
    return 1


def first_calls_of_two_threads():
    """1.9: RuntimeError. 1.9.1: verified."""
    other = threading.Thread(target=size, args=("text",))
    other.start()
    assert size(True) == 1
    other.join()
