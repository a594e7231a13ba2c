"""Methods and functions that compare the items of a shared list or deque.

CPython calls the code by which items are compared in the middle of what it does, and lets other threads in between.
So does this: each look at an item is a load, and what changes the container an update of its own. Where nothing but
numbers, strings and identities are compared, all is one step. Three methods of lists are never one step, as they take
no lock in free-threaded CPython: `in`, `index` and `count` ("Thread safety for list objects", library/threadsafety).
"""

from __future__ import annotations

import functools
import heapq
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from replay.frontend.ordinary.changes import (
    LESS,
    RUNS_CODE,
    copied,
    emptied,
    identity_of_container,
    is_shared_container,
    refilled,
    update,
)
from replay.frontend.ordinary.contents import base_of, runs_code
from replay.world.shown import shown
from replay.world.values import same

_EQUAL = ("__eq__",)
COMPARED = (*_EQUAL, "__ne__", *LESS, "__le__", "__ge__")


def _same(item: Any, value: Any) -> bool:
    return item is value or bool(item == value)


class _Search:
    """Goes through a shared list or deque as it is at each moment, and compares. A deque must not change meanwhile."""

    def __init__(self, items: Any, now: Any) -> None:
        """`now` is what it holds at the beginning, None if it was not read yet."""
        self._identity = identity_of_container(items)
        self._is_deque = base_of(type(items)) is deque
        self._now = now
        self.seen: Any = None

    def item(self, at: int, stop: int | None = None) -> tuple[Any] | None:
        """The item at a place now, alone in a tuple; None at the end."""
        now, self._now = self._identity.load("", locks=False) if self._now is None else self._now, None
        if self._is_deque and self.seen is not None and not same(tuple(self.seen), tuple(now)):
            raise RuntimeError("deque mutated during iteration")
        self.seen = now
        return (self._identity.heap.thaw(now[at]),) if at < len(now) and (stop is None or at < stop) else None

    def find(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The first place of an item that is equal to a value; -1 if there is none."""
        at = start
        while (found := self.item(at, stop)) is not None:
            if _same(found[0], value):
                return at
            at += 1
        return -1


def contains(items: Any, now: Any, value: Any) -> bool:
    return _Search(items, now).find(value) >= 0


def index(items: Any, now: Any, value: Any, start: int = 0, stop: int | None = None) -> int:
    """`index`, from a place on and up to one; negative ones count from the end, as it is at first."""
    is_deque = base_of(type(items)) is deque
    start, stop = operator.index(start), None if stop is None else operator.index(stop)
    if not is_deque and (start < 0 or (stop is not None and stop < 0)):
        length, now = len(now), None  # a list is asked for its length before
    else:
        length = len(now)
    start = max(0, start + length) if start < 0 else start
    stop = max(0, stop + length) if stop is not None and stop < 0 else stop
    found = _Search(items, now).find(value, start, stop)
    if found < 0:
        raise ValueError(f"{value!r} is not in {'deque' if is_deque else 'list'}")
    return found


def count(items: Any, now: Any, value: Any) -> int:
    search, at, total = _Search(items, now), 0, 0
    while (found := search.item(at)) is not None:
        total += _same(found[0], value)
        at += 1
    return total


class _Side:
    """One of two lists that are compared; it may be of one thread."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._identity = identity_of_container(items) if is_shared_container(items) else None
        self.look()

    def look(self) -> None:
        self.now: Any = self._items if self._identity is None else self._identity.load("")

    def copy(self) -> Any:
        return self._items if self._identity is None else copied(self._items, self.now)

    def __getitem__(self, at: int) -> Any:
        return self.now[at] if self._identity is None else self._identity.heap.thaw(self.now[at])


def comparison(name: str) -> Callable[..., Any]:
    """`==`, `<` and the like of a shared list. They compare a copy; if code of users compares the items, each item is
    read when its turn comes."""
    look, order = getattr(list, name), getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        two, one = _Side(other), _Side(self)
        if not any(runs_code(each, COMPARED) for each in (*one.now, *two.now)):
            return look(one.copy(), two.copy())
        if name in ("__eq__", "__ne__") and len(one.now) != len(two.now):
            return name == "__ne__"
        at = _first_difference(one, two)
        if at >= len(one.now) or at >= len(two.now):
            return order(len(one.now), len(two.now))
        return name == "__ne__" if name in ("__eq__", "__ne__") else order(one[at], two[at])

    return method


def _first_difference(one: _Side, two: _Side) -> int:
    """Returns where two lists differ, or the shorter one ends; afterwards both are known as they are then."""
    at = 0
    while at < len(one.now) and at < len(two.now):
        mine, theirs = one[at], two[at]
        is_same = _same(mine, theirs)
        if mine is not theirs and any(runs_code(each, COMPARED) for each in (mine, theirs)):
            one.look()
            two.look()
        if not is_same:
            break
        at += 1
    return at


def remove(items: Any, value: Any) -> None:
    """`remove`: one update if nothing that is compared runs code."""
    base: Any = base_of(type(items))
    if not runs_code(value, _EQUAL):
        frozen = identity_of_container(items).heap.freeze(value)
        if update(items, base.remove, f"remove({shown(frozen)})", (frozen,), asks=_EQUAL) is not RUNS_CODE:
            return
    search = _Search(items, None)
    try:
        at = search.find(value)
    except RuntimeError:
        raise IndexError(_MUTATED) from None
    if at < 0:
        raise ValueError("deque.remove(x): x not in deque" if base is deque else "list.remove(x): x not in list")
    update(items, _without, f"remove(...) at {at}", (at, tuple(search.seen) if base is deque else None))


_MUTATED = "deque mutated during remove()."


def _without(container: Any, at: int, seen: Any) -> None:
    """A list loses what is at that place now; a deque has to be as it was."""
    if seen is not None and not same(tuple(container), seen):
        raise IndexError(_MUTATED)
    if at < len(container):
        del container[at]


def sort(items: Any, *, key: Any = None, reverse: bool = False) -> None:
    """`list.sort`: while code compares, the list is empty, and if a thread changes it, ValueError is raised."""
    if key is None:
        label = "sort(reverse=True)" if reverse else "sort()"
        if update(items, list.sort, label, (), asks=LESS, reverse=reverse) is not RUNS_CODE:
            return
    values = list(update(items, emptied, "sort() begins", ()))
    if not values:  # no code runs, so the list is locked from beginning to end, also while another thread sorts it
        return
    try:
        values.sort(key=key, reverse=reverse)
    finally:
        freeze = identity_of_container(items).heap.freeze
        was_changed = update(items, refilled, "sort() ends", (tuple(map(freeze, values)),))
    if was_changed:
        raise ValueError("list modified during sort")


# -- functions of heapq and bisect --------------------------------------------------


def on_heap(change: Callable[..., Any], in_steps: Callable[..., Any]) -> Callable[..., Any]:
    """A function of heapq on a shared list: one update, or in steps where items are compared by code."""

    @functools.wraps(in_steps)
    def of_model(items: Any, *values: Any) -> Any:
        if not any(runs_code(value, LESS) for value in values):
            identity = identity_of_container(items)
            frozen = tuple(identity.heap.freeze(value) for value in values)
            label = f"{change.__name__}({', '.join(map(shown, frozen))})"
            result = update(items, change, label, frozen, asks=LESS)
            if result is not RUNS_CODE:
                return result
        return in_steps(items, *values)

    return of_model


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    heapq._siftdown(heap, 0, len(heap) - 1)  # type: ignore[attr-defined]


def heappop(heap: Any) -> Any:
    last = heap.pop()
    return heapreplace(heap, last) if heap else last


def heapreplace(heap: Any, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    heapq._siftup(heap, 0)  # type: ignore[attr-defined]
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    return heapreplace(heap, item) if heap and heap[0] < item else item


def heapify(heap: Any) -> None:
    for at in reversed(range(len(heap) // 2)):
        heapq._siftup(heap, at)  # type: ignore[attr-defined]


def bisect_of_model(look: Callable[..., int], is_left: bool) -> Callable[..., int]:
    """`bisect_left` or `bisect_right` of a shared list: one load, or one for each look where code compares."""

    @functools.wraps(look)
    def of_model(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> int:
        identity = identity_of_container(a)
        now = identity.load("")
        if key is None and not any(runs_code(each, LESS) for each in (x, *now)):
            return look([identity.heap.thaw(each) for each in now], x, lo, hi)
        if lo < 0:
            raise ValueError("lo must be non-negative")
        search, hi = _Search(a, now), len(now) if hi is None else hi
        while lo < hi:
            middle = (lo + hi) // 2
            found = search.item(middle)
            if found is None:
                raise IndexError("list index out of range")
            item = found[0] if key is None else key(found[0])
            if item < x if is_left else not x < item:
                lo = middle + 1
            else:
                hi = middle
        return lo

    return of_model


def insort_of_model(insort: Callable[..., None], find: Callable[..., int]) -> Callable[..., None]:
    """`insort_left` or `insort_right` of a shared list: one update where no code compares."""

    @functools.wraps(insort)
    def of_model(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
        if key is None and not runs_code(x, LESS):
            frozen = identity_of_container(a).heap.freeze(x)
            label = f"{insort.__name__}({shown(frozen)})"
            if update(a, insort, label, (frozen,), asks=LESS, lo=lo, hi=hi) is not RUNS_CODE:
                return
        a.insert(find(a, x if key is None else key(x), lo, hi, key=key), x)

    return of_model
