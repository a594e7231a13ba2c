"""Items of sequences, and ranges, where an index is an object with an `__index__` of Python."""

from __future__ import annotations

from typing import Any

from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.looking import is_python, of_built_in, raw_method
from replay.interpreter.library.numeric import as_index
from replay.interpreter.natives import stands_for


def _is_plain(key: Any) -> bool:
    if type(key) is slice:
        return _is_plain(key.start) and _is_plain(key.stop) and _is_plain(key.step)
    return not is_python(raw_method(key, "__index__"))


def _with_plain_key(arguments: Any, keywords: Any) -> bool:
    return len(arguments) < 2 or _is_plain(arguments[1])


def _of_plain_parts(arguments: Any, keywords: Any) -> bool:
    return all(map(_is_plain, arguments))


def plain_key(key: Any) -> Any:
    """The integer that an object stands for; of a slice, one of integers."""
    if class_of(key) is slice:
        parts = [part if part is None else as_index(part) for part in (key.start, key.stop, key.step)]
        return slice(*parts)
    return as_index(key)


_SEQUENCES: tuple[type, ...] = (list, tuple, str, bytes, bytearray, range)
_CHANGING = (list, bytearray)


@stands_for(*(vars(kind)["__getitem__"] for kind in _SEQUENCES), natively_if=_with_plain_key)
def item(things: Any, key: Any, /) -> Any:
    return of_built_in(things, "__getitem__")(things, plain_key(key))


@stands_for(*(vars(kind)["__setitem__"] for kind in _CHANGING), natively_if=_with_plain_key)
def set_item(things: Any, key: Any, value: Any, /) -> None:
    of_built_in(things, "__setitem__")(things, plain_key(key), value)


@stands_for(*(vars(kind)["__delitem__"] for kind in _CHANGING), natively_if=_with_plain_key)
def delete_item(things: Any, key: Any, /) -> None:
    of_built_in(things, "__delitem__")(things, plain_key(key))


@stands_for(range, natively_if=_of_plain_parts)
def make_range(*bounds: Any) -> Any:
    return range(*[as_index(each) for each in bounds])


_REPEATED = (list, tuple, str, bytes, bytearray)


@stands_for(*(vars(kind)["__mul__"] for kind in _REPEATED), natively_if=_with_plain_key)
def repeated(things: Any, times: Any, /) -> Any:
    return of_built_in(things, "__mul__")(things, as_index(times))


@stands_for(*(vars(kind)["__rmul__"] for kind in _REPEATED), natively_if=_with_plain_key)
def repeated_so_often(things: Any, times: Any, /) -> Any:
    return of_built_in(things, "__rmul__")(things, as_index(times))


@stands_for(*(vars(kind)["__imul__"] for kind in _CHANGING), natively_if=_with_plain_key)
def repeated_in_place(things: Any, times: Any, /) -> Any:
    return of_built_in(things, "__imul__")(things, as_index(times))


@stands_for(list.pop, bytearray.pop, natively_if=_with_plain_key)
def taken_out(things: Any, place: Any = -1, /) -> Any:
    return of_built_in(things, "pop")(things, as_index(place))
