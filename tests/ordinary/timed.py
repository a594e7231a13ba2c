"""Classes that look at clocks, as people write them."""

from __future__ import annotations

import contextlib
import datetime
import queue
import threading
import time
from time import monotonic

PERIOD = 30


class Limiter:
    """One call in each period."""

    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.last = clock() - PERIOD

    def allow(self):
        now = self.clock()
        if now - self.last < PERIOD:
            return False
        self.last = now
        return True


class Cache:
    """Entries live for a while."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries = {}

    def put(self, key, lifetime):
        with self.lock:
            self.entries[key] = monotonic() + lifetime

    def alive(self):
        with self.lock:
            now = monotonic()
            return "".join(sorted(key for key, ends in self.entries.items() if now < ends))


class Box:
    """A deadline loop as people write it."""

    def __init__(self):
        self.full = threading.Condition()
        self.item = None

    def put(self):
        with self.full:
            self.item = "item"
            self.full.notify()

    def get(self, timeout):
        deadline = time.monotonic() + timeout
        with self.full:
            while self.item is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return "too late"
                self.full.wait(left)
            return self.item

    def look_until(self, timeout):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.item is not None:
                return self.item
        return "too late"


class Sleeper:
    """Whoever sleeps, or waits in vain, has spent the time."""

    def __init__(self):
        self.queue = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.lock.acquire()

    def sleep(self):
        began = time.perf_counter()
        time.sleep(3)
        time.sleep(4)
        assert time.perf_counter() - began >= 7

    def wait(self):
        began = time.time()
        with contextlib.suppress(queue.Empty):
            self.queue.get(timeout=5)
        assert not self.lock.acquire(timeout=2)
        assert time.time() - began >= 7

    def seconds(self):
        assert int(time.monotonic()) <= time.time_ns() // 10**9 <= time.time()

    def dates(self):
        assert datetime.datetime.now() <= datetime.datetime.today()
        assert datetime.date.today().year >= 2038

    def zones(self):
        assert datetime.datetime.now(datetime.UTC).timestamp() >= 2.0**31
        assert datetime.datetime.utcnow().tzinfo is None

    def texts(self):
        assert time.localtime() <= time.gmtime()
        assert time.strftime("%Y") >= "2038" <= time.ctime()[-4:]


class Instants:
    """Each is not before the last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.last = time.monotonic()

    def note(self):
        with self.lock:
            now = time.monotonic()
            assert now >= self.last
            self.last = now
