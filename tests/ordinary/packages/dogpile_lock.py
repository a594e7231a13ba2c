"""dogpile.cache: its lock for readers and writers.

Package: dogpile.cache==1.4.1
"""

from dogpile.util.readwrite_lock import ReadWriteMutex

import mcr


class Pair:
    def __init__(self):
        self.left = 0
        self.right = 0


@mcr.program
def dogpile_read_write(p):
    """A reader sees no half of what a writer does.

    Verified
    """
    lock, pair = p.share(ReadWriteMutex()), p.share(Pair())

    def write():
        lock.acquire_write_lock()
        pair.left += 1
        pair.right += 1
        lock.release_write_lock()

    def read():
        lock.acquire_read_lock()
        assert pair.left == pair.right
        lock.release_read_lock()

    p.thread(write)
    p.thread(read)
