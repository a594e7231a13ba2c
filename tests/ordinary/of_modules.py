"""Things of modules that threads use: locals of threads, a sentinel, a logger, a registry with a lock."""

from __future__ import annotations

import logging
import os
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


class Probe:
    """Has a lock in a slot, and there is one for all."""

    __slots__ = ("lock",)

    def __init__(self):
        self.lock = threading.Lock()


_probe = Probe()
_log_of_desks = logging.getLogger("tests.ordinary.of_modules.desks")


class Watched:
    def __init__(self):
        self.log = _log_of_desks
        self.lines = []
        self.process = os.getpid()

    def note(self, line):
        self.log.debug("note %s", line)
        with _probe.lock:
            self.lines = [*self.lines, line]

    def is_in_one_process(self):
        return self.process == os.getpid() == _process


_process = os.getpid()
