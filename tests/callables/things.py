"""Things that generated threads use: functions, iterators and objects that load a variable wherever C code may call
them.

The threads are compiled with this module's names for their global ones.
"""

# ruff: noqa: F401
from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from typing import Any


class Count:
    """An iterator: each number is a load."""

    def __init__(self, x: Any, left: int) -> None:
        self.x, self.left = x, left

    def __iter__(self) -> Count:
        return self

    def __next__(self) -> int:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return int(self.x.load())


class Again:
    """An iterable that gives another iterator each time; it is one itself, and never gives itself."""

    def __init__(self, x: Any, left: int) -> None:
        self.x, self.left = x, left

    def __iter__(self) -> Again:
        return Again(self.x, self.left)

    __next__ = Count.__next__  # type: ignore[assignment]


class Cells:
    """An iterable whose `__iter__` is a generator."""

    def __init__(self, x: Any, size: int) -> None:
        self.x, self.size = x, size

    def __iter__(self) -> Iterator[int]:
        for _ in range(self.size):
            yield self.x.load()


class Slow(Cells):
    """An iterable that looks before it gives an iterator."""

    def __iter__(self) -> Iterator[int]:
        return iter([self.x.load()] * self.size)

    def __len__(self) -> int:
        return self.size + int(self.x.load())


class Subscripts:
    """What is iterated by subscripts."""

    def __init__(self, x: Any, size: int) -> None:
        self.x, self.size = x, size

    def __getitem__(self, place: int) -> int:
        if place >= self.size:
            raise IndexError
        return int(self.x.load())

    def __len__(self) -> int:
        return self.size


class Item:
    """Looks whenever anybody wants to know anything of it."""

    def __init__(self, x: Any, number: int) -> None:
        self.x, self.number = x, number

    def seen(self) -> int:
        return int(self.x.load()) + self.number

    @property
    def value(self) -> int:
        return self.seen()

    def __call__(self, *_: object) -> int:
        return self.seen()

    def __bool__(self) -> bool:
        return self.seen() > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item | int) and self.seen() == (other if isinstance(other, int) else other.number)

    def __lt__(self, other: Any) -> bool:
        return self.seen() < (other if isinstance(other, int) else other.number)

    def __hash__(self) -> int:
        return self.seen() % 2

    def __add__(self, other: object) -> int:
        return self.seen() + (other if isinstance(other, int) else 0)

    __radd__ = __add__

    def __len__(self) -> int:
        return abs(self.seen())

    def __index__(self) -> int:
        return self.seen()

    def __contains__(self, other: object) -> bool:
        return self.seen() == other

    def __str__(self) -> str:
        return str(self.seen())

    __repr__ = __str__  # and no address, by which a thread would put tuples in an order of its own in every run

    def __enter__(self) -> int:
        return self.seen()

    def __exit__(self, *_: object) -> bool:
        return bool(self.x.load())


def numbers(x: Any, size: int) -> Iterator[int]:
    for number in range(size):
        yield x.load() + number


def guarded(x: Any, size: int) -> Iterator[int]:
    try:
        for _ in range(size):
            yield x.load()
    finally:
        x.load()


def delegating(x: Any, size: int) -> Iterator[int]:
    yield from numbers(x, size)


def plain(value: Any) -> Any:
    """What a result is, in words that are the same in every run."""
    if isinstance(value, Item):
        return "item", value.number
    if isinstance(value, dict):
        return tuple((plain(key), plain(held)) for key, held in value.items())
    if isinstance(value, list | tuple | set | frozenset | deque):
        return tuple(map(plain, value))
    return value if isinstance(value, int | str | bool | type(None)) else type(value).__name__
