"""fasteners: its lock for readers and writers.

Package: fasteners==0.20
"""

from fasteners import ReaderWriterLock

import mcr


class Pair:
    def __init__(self):
        self.left = 0
        self.right = 0


@mcr.program
def fasteners_read_write(p):
    """A reader sees no half of what a writer does.

    Verified
    """
    lock, pair = p.share(ReaderWriterLock()), p.share(Pair())

    def write():
        with lock.write_lock():
            pair.left += 1
            pair.right += 1

    def read():
        with lock.read_lock():
            assert pair.left == pair.right

    p.thread(write)
    p.thread(read)
