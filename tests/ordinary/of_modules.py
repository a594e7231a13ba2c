"""What modules hold that threads use: locals of threads, a sentinel, a logger, a registry with a lock."""

from __future__ import annotations

import logging
import threading


def _sentinel(name):
    class Sentinel:
        def __init__(self):
            self.name = name

    return Sentinel()


MISSING = _sentinel("missing")
_here = threading.local()
_also_here = threading.local()
_log = logging.getLogger("tests.ordinary.of_modules")


class Registry:
    def __init__(self):
        self.lock = threading.Lock()


_registry = Registry()


class Desk:
    def __init__(self, registry=_registry):
        self.value = MISSING
        self.lines = []
        self.note = self.lines.append

    def fill(self, number):
        _log.debug("fill %s", number)
        if self.value is MISSING:
            self.value = number

    def in_order(self, registry=_registry):
        with registry.lock:
            self.note("begun")
            self.note("ended")

    def mine(self, number):
        _here.number = number
        _also_here.number = -number
        self.note(number)
        return _here.number, _also_here.number

    def nobody(self):
        return hasattr(_here, "number")

    def rename(self):
        self.value.name = "other"
