"""Lists and tuples of iterables, and comparisons of their items, which may be Python code."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from replay.interpreter.calls import intrinsic
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.intrinsics import called_type, class_of
from replay.interpreter.library.iterators import Rest
from replay.interpreter.library.looking import (
    MISSING,
    call_method,
    compared_plainly,
    going_through,
    has,
    plain_arguments,
)
from replay.interpreter.library.numeric import as_index
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, stands_for
from replay.interpreter.versions import NEW_MESSAGES, TUPLE_ASKS_LENGTH


@stands_for(operator.length_hint, natively_if=plain_arguments)
def length_hint(thing: Any, default: Any = 0, /) -> Any:
    default = as_index(default)
    if has(thing, "__len__"):
        length = length_or_missing(thing)
        if length is not MISSING:
            return length
    if not has(thing, "__length_hint__"):
        return default
    result = hint_or_missing(thing)
    if result is NotImplemented or result is MISSING:
        return default
    if not is_a(result, int):
        raise TypeError(f"__length_hint__ must be an integer, not {called_type(result)}")
    if result < 0:
        raise ValueError("__length_hint__() should return >= 0")
    return result


@intrinsic(length_hint)
def _length_hint(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if len(arguments) == 2 and type(arguments[1]) is int and not any(has(arguments[0], each) for each in _HINTS):
        frame.stack.append(arguments[1])
        return None
    frame.execution.push(length_hint, arguments, keywords)
    return SWITCH


_HINTS = ("__len__", "__length_hint__")


def length_or_missing(thing: Any) -> Any:
    try:
        return len(thing)
    except TypeError:
        return MISSING


def hint_or_missing(thing: Any) -> Any:
    try:
        return call_method(thing, "__length_hint__")
    except TypeError:
        return MISSING


def _filled_plainly(arguments: Any, keywords: Any) -> bool:
    return going_through(arguments[1:], keywords)


@stands_for(list.extend, natively_if=_filled_plainly)
def extend(items: Any, iterable: Any, /) -> None:
    if iterable is items or class_of(iterable) in (list, tuple):
        native_extend(items, iterable)
        return
    iterator = iter(iterable)
    length_hint(iterable, 8)
    for item in Rest(iterator):
        list.append(items, item)


@natively
def native_extend(items: list[Any], others: Any) -> None:
    list.extend(items, others)


@stands_for(list.__iadd__, natively_if=_filled_plainly)
def extend_in_place(items: Any, iterable: Any, /) -> Any:
    extend(items, iterable)
    return items


@stands_for(list, natively_if=going_through)
def make_list(iterable: Any = (), /) -> Any:
    items: list[Any] = []
    extend(items, iterable)
    return items


@stands_for(list.__init__, natively_if=_filled_plainly)
def initialise_list(items: Any, iterable: Any = (), /) -> None:
    list.clear(items)
    extend(items, iterable)


@stands_for(tuple, natively_if=going_through)
def make_tuple(iterable: Any = (), /) -> Any:
    if class_of(iterable) is tuple:
        return iterable
    if not TUPLE_ASKS_LENGTH and class_of(iterable) is not list:
        iterable = Rest(iter(iterable))  # it is not asked how many there are
    return native_tuple(tuple, make_list(iterable))


@stands_for(tuple.__new__, natively_if=_filled_plainly)
def new_tuple(kind: Any, iterable: Any = (), /) -> Any:
    return native_tuple(kind, make_tuple(iterable))


@natively
def native_tuple(kind: Any, items: Any) -> Any:
    return tuple.__new__(kind, items)


# -- comparing items -------------------------------------------------------------------------


@natively
def items_now(things: Any) -> list[Any]:
    """The items of a native list or tuple, whatever its class overrides."""
    return list(list.__iter__(things) if is_a(things, list) else tuple.__iter__(things))


@natively
def size_of(things: Any) -> int:
    return list.__len__(things) if is_a(things, list) else tuple.__len__(things)


@natively
def item_at(things: Any, position: int) -> Any:
    return list.__getitem__(things, position) if is_a(things, list) else tuple.__getitem__(things, position)


def place_in(things: Any, value: Any, position: int, stop: int) -> int:
    """The position of the first item that is equal to a value; -1 if there is none. Items may change meanwhile."""
    while position < stop and position < size_of(things):
        item = item_at(things, position)
        if item is value or item == value:
            return position
        position += 1
    return -1


_END = (1 << 63) - 1


@stands_for(list.__contains__, tuple.__contains__, natively_if=compared_plainly)
def contains(things: Any, value: Any, /) -> Any:
    return place_in(things, value, 0, _END) >= 0


@stands_for(list.count, tuple.count, natively_if=plain_arguments)
def count(things: Any, value: Any, /) -> Any:
    number = position = 0
    while (position := place_in(things, value, position, _END)) >= 0:
        number += 1
        position += 1
    return number


def not_in_list(value: Any) -> Any:
    return "list.index(x): x not in list" if NEW_MESSAGES else f"{value!r} is not in list"


@stands_for(list.index, tuple.index, natively_if=plain_arguments)
def index(things: Any, value: Any, start: Any = 0, stop: Any = _END, /) -> Any:
    start, stop = slice_bound(size_of(things), start), slice_bound(size_of(things), stop)
    position = place_in(things, value, start, stop)
    if position < 0:
        raise ValueError(not_in_list(value) if is_a(things, list) else "tuple.index(x): x not in tuple")
    return position


def slice_bound(size: int, number: Any) -> Any:
    """A position that may be counted from the end of so many items."""
    if not (is_a(number, int) or has(number, "__index__")):
        raise TypeError("slice indices must be integers or have an __index__ method")
    position = as_index(number)
    return max(position + size, 0) if position < 0 else position


@stands_for(list.remove, natively_if=compared_plainly)
def remove(things: Any, value: Any, /) -> None:
    position = place_in(things, value, 0, _END)
    if position < 0:
        raise ValueError("list.remove(x): x not in list")
    list.__delitem__(things, position)


def _comparison(kind: type, name: str) -> None:
    """Register the model of a comparison of two lists, or of two tuples."""
    of_sizes: Callable[[int, int], bool] = getattr(operator, name)

    @stands_for(vars(kind)[f"__{name}__"], natively_if=plain_arguments)
    def compare(things: Any, others: Any, /) -> Any:
        if not is_a(others, kind):
            return NotImplemented
        size, other_size = size_of(things), size_of(others)
        if kind is list and size != other_size and name in ("eq", "ne"):
            return name == "ne"
        position = first_difference(things, others)
        size, other_size = size_of(things), size_of(others)
        if position >= size or position >= other_size:
            return of_sizes(size, other_size)
        if name in ("eq", "ne"):
            return name == "ne"
        return of_sizes(item_at(things, position), item_at(others, position))


def first_difference(things: Any, others: Any) -> int:
    """The first position at which items are not equal, or the end of the shorter one."""
    position = 0
    while position < size_of(things) and position < size_of(others):
        item, other = item_at(things, position), item_at(others, position)
        if not (item is other or item == other):
            break
        position += 1
    return position


for _kind in (list, tuple):
    for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
        _comparison(_kind, _name)
