"""A module that is its own singleton: a registry, counters, a cache, and what hands out numbers."""

from __future__ import annotations

import itertools
import queue
import threading
from collections import defaultdict

handlers = {}
order = []
calls = 0
_current = None
_lock = threading.Lock()
_numbers = itertools.count(1)
_waiting = queue.Queue()
_seen = defaultdict(list)
TABLES = (handlers, order)
UNITS = {"second": 1, "minute": 60}


class Manager:
    def __init__(self):
        self.lock = threading.RLock()
        self.made = {}
        self.changed = threading.Condition()

    def get(self, name):
        with self.lock:
            if name not in self.made:
                self.made[name] = object()
            return self.made[name]


_manager = Manager()


def register(name, handler):
    if name not in handlers:
        order.append(name)
        handlers[name] = handler


def register_locked(name, handler):
    with _lock:
        register(name, handler)


def count():
    global calls
    calls += 1
    return calls


def count_in_loop(calls_to_make):
    def once():
        global calls
        calls = calls + 1

    for _ in range(calls_to_make):
        once()
    return [calls + 1 for calls in range(2)], calls


def current():
    global _current
    if _current is None:
        _current = Manager()
    return _current


def current_locked():
    global _current
    with _lock:
        if _current is None:
            _current = Manager()
        return _current


def next_number():
    return next(_numbers)


def get(name):
    return _manager.get(name)


def put(item):
    _waiting.put(item)


def take():
    return _waiting.get()


def note(key, value):
    _seen[key].append(value)


def names_in_order(table=order):
    return list(table)


def tables():
    return TABLES[0]


def seconds(unit):
    return UNITS[unit]


def forget():
    global _current
    del _current


def look_up(name):
    return globals()[name]
