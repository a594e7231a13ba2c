"""Parts of random programs of one thread (`alone.py`), and how they tell what they see."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import ItemsView, KeysView, ValuesView
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Box:
    kind = "box"
    made = 0

    def __init__(self, size=0, inner=None):
        self.size = size
        self.inner = inner

    def grow(self, by=1):
        self.size += by
        return self.size

    @property
    def double(self):
        return self.size * 2

    @double.setter
    def double(self, value):
        self.size = value // 2

    @functools.cached_property
    def once(self):
        return [self.size]

    @classmethod
    def of(cls, size):
        return cls(size)

    @staticmethod
    def twice(value):
        return value + value

    def __len__(self):
        return 2

    def __bool__(self):
        return True

    def __repr__(self):
        return f"{type(self).__name__}({self.size!r})"

    def __enter__(self):
        self.size = 0
        return self

    def __exit__(self, *error):
        self.inner = error[0]
        return error[0] is KeyError


class Named(Box):
    __slots__ = ("name",)

    def __init__(self, name, size=1):
        super().__init__(size)
        self.name = name

    def grow(self, by=2):
        return super().grow(by) + 1


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __iter__(self):
        return iter((self.x, self.y))

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Table(dict):
    def __init__(self, *given):
        super().__init__(*given)
        self.hits = 0

    def __missing__(self, key):
        self.hits += 1
        return self.hits

    def bump(self, key):
        self[key] = self.get(key, 0) + 1
        return self[key]


class Items(list):
    limit = 3

    def add(self, item):
        if len(self) < self.limit:
            super().append(item)
        return len(self)


@dataclass(order=True)
class Entry:
    weight: int
    parts: list = field(default_factory=list)


@dataclass(frozen=True)
class Pair:
    one: object
    two: object = None


class Both(NamedTuple):
    left: object
    right: object = 0


class Color(Enum):
    RED = 1
    BLUE = 2


class Wrong(Exception):
    def __init__(self, what):
        super().__init__(what)
        self.what = what


def doubled(items):
    for each in items:
        yield each
        yield each


@contextmanager
def noted(log, value):
    log.append(told(value))
    yield value
    log.append("left")


DEEPEST = 4


def told(value, depth=0):
    """What can be seen of a value: nothing that is another thing in every run of Python."""
    if depth > DEEPEST:
        return "deep"
    down = depth + 1
    match value:
        case Point():
            return "Point", value.x, value.y
        case Entry():
            return "Entry", told(value.weight, down), told(value.parts, down)
        case Pair():
            return "Pair", told(value.one, down), told(value.two, down)
        case Box():
            return repr(value), told(getattr(value, "inner", "-"), down), told(getattr(value, "name", "-"), down)
        case Wrong():
            return "Wrong", told(value.what, down)
        case KeysView() | ItemsView() | ValuesView():
            return "a view", [told(each, down) for each in value]
        case dict():
            return type(value).__name__, [(told(key, down), told(value[key], down)) for key in list(value)]
        case set() | frozenset():
            return type(value).__name__, sorted(repr(told(each, down)) for each in value)
        case list() | tuple() | deque():
            return type(value).__name__, [told(each, down) for each in value]
        case None | int() | float() | str() | bytes() | complex() | range() | slice() | Color():
            return repr(value)
        case type():
            return value.__name__
    return "something else"
