"""Classes made from containers, with attributes, and the same with the container in an attribute."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict, deque
from typing import Protocol, runtime_checkable


class Cache(dict):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.hits = 0
        self.lock = threading.Lock()

    def put(self, key, value):
        if len(self) >= self.size:
            dict.clear(self)
        dict.__setitem__(self, key, value)
        self.hits += 1

    def look(self, key, get=dict.get):
        self.hits += 1
        return get(self, key) if dict.__contains__(self, key) else dict.__len__(self)

    def put_locked(self, key, value):
        with self.lock:
            self.put(key, value)


class CacheApart:
    def __init__(self, size):
        self.table = {}
        self.size = size
        self.hits = 0
        self.lock = threading.Lock()

    def put(self, key, value):
        if len(self.table) >= self.size:
            self.table.clear()
        self.table[key] = value
        self.hits += 1

    def look(self, key):
        self.hits += 1
        return self.table.get(key) if key in self.table else len(self.table)

    def put_locked(self, key, value):
        with self.lock:
            self.put(key, value)

    def items(self):
        return self.table.items()


class Ordered(OrderedDict):
    def __init__(self):
        OrderedDict.__init__(self)
        self.last = None

    def put(self, key, value):
        OrderedDict.__setitem__(self, key, value)
        self.last = key

    def look(self, key):
        return OrderedDict.get(self, key), self.last


class OrderedApart:
    def __init__(self):
        self.table = OrderedDict()
        self.last = None

    def put(self, key, value):
        self.table[key] = value
        self.last = key

    def look(self, key):
        return self.table.get(key), self.last

    def items(self):
        return self.table.items()


class Log(list):
    def note(self, line):
        self.append(line)
        self.noted = getattr(self, "noted", 0) + 1

    def look(self):
        return list(self), getattr(self, "noted", 0)


class LogApart:
    def __init__(self):
        self.lines = []

    def note(self, line):
        self.lines.append(line)
        self.noted = getattr(self, "noted", 0) + 1

    def look(self):
        return list(self.lines), getattr(self, "noted", 0)


class Seen(set):
    __slots__ = ("count",)

    def __init__(self):
        self.count = 0

    def note(self, line):
        if line not in self:
            self.add(line)
            self.count += 1

    def look(self):
        return sorted(self), self.count


class SeenApart:
    def __init__(self):
        self.lines = set()
        self.count = 0

    def note(self, line):
        if line not in self.lines:
            self.lines.add(line)
            self.count += 1

    def look(self):
        return sorted(self.lines), self.count


class Recent(deque):
    maxlen_seen = 2

    def __init__(self):
        super().__init__(maxlen=2)
        self.count = 0

    def note(self, line):
        deque.append(self, line)
        self.count += 1

    def look(self):
        return list(self), self.count


class RecentApart:
    def __init__(self):
        self.lines = deque(maxlen=2)
        self.count = 0

    def note(self, line):
        self.lines.append(line)
        self.count += 1

    def look(self):
        return list(self.lines), self.count


class Groups(defaultdict):
    def __init__(self):
        super().__init__(list)
        self.count = 0

    def note(self, line):
        self["a"].append(line)
        self.count += 1

    def look(self):
        return list(self["a"]), self.count


class GroupsApart:
    def __init__(self):
        self.lines = defaultdict(list)
        self.count = 0

    def note(self, line):
        self.lines["a"].append(line)
        self.count += 1

    def look(self):
        return list(self.lines["a"]), self.count


class Point:
    """A key that code compares."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x

    def __hash__(self):
        return hash(("point", self.x))


class Looks:
    """Reads its attributes in a way of its own."""

    def __init__(self):
        self.count = 0

    def __getattribute__(self, name):
        return super().__getattribute__(name.removesuffix("_there"))

    def add(self):
        self.count = self.count_there + 1


@runtime_checkable
class Table(Protocol):
    def keys(self): ...


class Asks:
    def __init__(self):
        self.tables = 0

    def ask(self, thing):
        if isinstance(thing, Table):
            self.tables += 1


class Counted:
    made = 0

    @classmethod
    def make(cls):
        cls.made += 1
        return len(vars(cls)) > 1 and "made" in list(vars(cls))
