"""Sorting with `__lt__` of Python: `sorted` and `list.sort`.

The result is CPython's for every order that is one. Up to 63 items the comparisons are CPython's as well (a run is
found at the beginning, the rest is inserted by bisection); more are merged, and compared in another order. Of objects
whose `__lt__` contradicts itself the order of more than 63 may therefore differ from CPython's.
"""

from __future__ import annotations

from typing import Any

from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.looking import all_plain, call_method, is_plain
from replay.interpreter.natives import natively, stands_for
from replay.interpreter.versions import RUNS_HAVE_EQUALS

_MOST = 63
"""As many items CPython sorts by insertion."""


def _plainly_sorted(arguments: Any, keywords: Any) -> bool:
    return len(arguments) == 1 and is_plain(arguments[0]) and keywords.get("key") is None


@stands_for(sorted, natively_if=_plainly_sorted)
def in_order(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    items = list(iterable)
    items.sort(key=key, reverse=reverse)
    return items


@stands_for(list.sort, natively_if=_plainly_sorted)
def sort(items: Any, /, *, key: Any = None, reverse: Any = False) -> None:
    backwards = as_flag(reverse)
    rows = taken(items)
    try:
        if key is not None:
            for row in rows:
                row[0] = key(row[1])
        arrange(rows, backwards)
    finally:
        is_modified = put_back(items, rows)
    if is_modified:
        raise ValueError("list modified during sort")


def arrange(rows: list[list[Any]], backwards: bool) -> None:
    """Sort rows by their first column, in place. What a comparison raises leaves them as far as they have come."""
    if len(rows) < 2 or sort_natively(rows, backwards):
        return
    if backwards:
        rows.reverse()
    try:
        merge_sort(rows, 0, len(rows))
    finally:
        if backwards:
            rows.reverse()


def precedes(one: Any, other: Any) -> Any:
    """`one < other`; if both are of a class whose method does not know, `unsafe_object_compare` asks it again."""
    if class_of(one) is class_of(other):
        result = call_method(one, "__lt__", other)
        if result is not NotImplemented:
            return result
    return one < other


def merge_sort(rows: list[list[Any]], begin: int, end: int) -> None:
    if end - begin <= _MOST:
        insert_all(rows, begin, end, ordered_run(rows, begin, end))
        return
    middle = (begin + end) // 2
    merge_sort(rows, begin, middle)
    merge_sort(rows, middle, end)
    left = rows[begin:middle]
    place, right = begin, middle
    for row in left:
        while right < end and precedes(rows[right][0], row[0]):
            rows[place] = rows[right]
            place, right = place + 1, right + 1
        rows[place] = row
        place += 1


def insert_all(rows: list[list[Any]], begin: int, end: int, start: int) -> None:
    """Insert the rows from `start` on into those before, which are sorted, each after those equal to it."""
    for each in range(start, end):
        row = rows[each]
        low, high = begin, each
        while low < high:
            middle = (low + high) // 2
            if precedes(row[0], rows[middle][0]):
                high = middle
            else:
                low = middle + 1
        rows[low + 1 : each + 1] = rows[low:each]
        rows[low] = row


def ordered_run(rows: list[list[Any]], begin: int, end: int) -> int:
    """The end of the sorted run at the beginning, after a descending run was reversed."""
    if RUNS_HAVE_EQUALS:
        return run_with_equals(rows, begin, end)
    at = begin + 1
    if at >= end:
        return at
    descends = precedes(rows[at][0], rows[at - 1][0])
    at += 1
    while at < end and bool(precedes(rows[at][0], rows[at - 1][0])) is bool(descends):
        at += 1
    if descends:
        rows[begin:at] = rows[begin:at][::-1]
    return at


def run_with_equals(rows: list[list[Any]], begin: int, end: int) -> int:
    """As `ordered_run`, from 3.13 on: rows that are equal belong to a descending run as well, in their order."""
    at = begin + 1
    while at < end and not precedes(rows[at][0], rows[at - 1][0]):
        at += 1
    if at >= end:
        return at
    if at - begin > 1:
        if precedes(rows[begin][0], rows[at - 1][0]):
            return at
        rows[begin:at] = rows[begin:at][::-1]
    at += 1
    equal = 0
    while at < end:
        if precedes(rows[at][0], rows[at - 1][0]):
            equal = reversed_equals(rows, at, equal)
        elif precedes(rows[at - 1][0], rows[at][0]):
            break
        else:
            equal += 1
        at += 1
    reversed_equals(rows, at, equal)
    rows[begin:at] = rows[begin:at][::-1]
    while at < end and not precedes(rows[at][0], rows[at - 1][0]):
        at += 1
    return at


def reversed_equals(rows: list[list[Any]], end: int, equal: int) -> int:
    """Reverse the rows before `end` that are equal to the last of them, so that another reversal restores them."""
    if equal:
        rows[end - equal - 1 : end] = rows[end - equal - 1 : end][::-1]
    return 0


# -- natively --------------------------------------------------------------------------------


@natively
def as_flag(reverse: Any) -> bool:
    """The direction. Raises what `list.sort` raises for what is no number."""
    [].sort(reverse=reverse)
    return bool(reverse)


@natively
def taken(items: list[Any]) -> list[list[Any]]:
    """Rows of each item and its key, which is itself at first. The list is empty while it is being sorted."""
    rows = [[item, item] for item in list.__iter__(items)]
    list.clear(items)
    return rows


@natively
def put_back(items: list[Any], rows: list[list[Any]]) -> bool:
    """Fill the list again; returns whether it was changed meanwhile."""
    is_modified = list.__len__(items) > 0
    list.__setitem__(items, slice(None), [item for _, item in rows])
    return is_modified


@natively
def sort_natively(rows: list[list[Any]], backwards: bool) -> bool:
    """Sort rows whose keys are all plain; returns whether they are."""
    if not all_plain([key for key, _ in rows]):
        return False
    rows.sort(key=_first, reverse=backwards)
    return True


def _first(row: list[Any]) -> Any:
    return row[0]
