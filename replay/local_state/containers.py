"""How values of built-in types are written."""

from __future__ import annotations

from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Collection
from re import Pattern
from types import EllipsisType, NotImplementedType
from typing import Any

from replay.local_state.doubt import Doubt
from replay.local_state.memory import Nothing, set_layout
from replay.local_state.writer import Handler, Writer


def _float(writer: Writer, value: float) -> None:
    if value == value:
        writer.tokens += (float, value.hex())
    elif writer.is_new(value):  # NaN: equal to nothing, and found in a list all the same where it is itself
        writer.tokens += (float, "nan")


def _complex(writer: Writer, value: complex) -> None:
    writer.tokens.append(complex)
    _float(writer, value.real)
    _float(writer, value.imag)


def _tuple(writer: Writer, value: tuple[object, ...]) -> None:
    writer.tokens.append(tuple)
    writer.all(value)


def _list(writer: Writer, value: list[object]) -> None:
    if writer.is_new(value):
        writer.tokens.append(list)
        writer.all(value)


def write_items(writer: Writer, items: Collection[tuple[object, object]]) -> None:
    """The items of a dictionary in their order, after their number."""
    writer.tokens.append(len(items))
    writer.check_size(len(items))
    for key, held in items:
        writer.write(key)
        writer.write(held)


def _dict(writer: Writer, value: dict[object, object]) -> None:
    if writer.is_new(value):
        writer.tokens.append(dict)
        write_items(writer, value.items())


def _default_dict(writer: Writer, value: defaultdict[object, object]) -> None:
    if writer.is_new(value):
        writer.tokens.append(defaultdict)
        writer.write(value.default_factory)
        write_items(writer, value.items())


def _ordered_dict(writer: Writer, value: OrderedDict[object, object]) -> None:
    if writer.is_new(value):
        writer.tokens.append(OrderedDict)
        write_items(writer, value.items())


def _set(writer: Writer, value: set[object] | frozenset[object]) -> None:
    if isinstance(value, frozenset) or writer.is_new(value):
        writer.tokens.append(type(value))
        write_members(writer, value)


def write_members(writer: Writer, value: set[object] | frozenset[object]) -> None:
    """The members of a set in their order, and where it keeps them: that decides where others will come to be."""
    for member in value:
        if type(member).__hash__ is object.__hash__ and not isinstance(member, type):
            raise Doubt(f"a set of objects of type {type(member).__name__}, whose order is that of their addresses")
    header, places = set_layout(value)
    writer.tokens += (*header, len(places), *places)
    writer.all(value)


def _deque(writer: Writer, value: deque[object]) -> None:
    if writer.is_new(value):
        writer.tokens += (deque, value.maxlen)
        writer.all(value)


def _bytes(writer: Writer, value: bytearray) -> None:
    if writer.is_new(value):
        writer.tokens += (bytearray, bytes(value))


def _array(writer: Writer, value: array[Any]) -> None:
    if writer.is_new(value):
        writer.tokens += (array, value.typecode, value.tobytes())


def _range(writer: Writer, value: range) -> None:
    writer.tokens += (range, value.start, value.stop, value.step)


def _slice(writer: Writer, value: slice) -> None:
    writer.tokens.append(slice)
    for part in (value.start, value.stop, value.step):
        writer.write(part)


def _pattern(writer: Writer, value: Pattern[Any]) -> None:
    writer.tokens.append(Pattern)
    writer.write(value.pattern)
    writer.tokens.append(value.flags)


def _constant(writer: Writer, value: object) -> None:
    writer.tokens.append(type(value))


HANDLERS: dict[type, Handler] = {
    float: _float,
    complex: _complex,
    tuple: _tuple,
    list: _list,
    dict: _dict,
    defaultdict: _default_dict,
    OrderedDict: _ordered_dict,
    set: _set,
    frozenset: _set,
    deque: _deque,
    bytearray: _bytes,
    array: _array,
    range: _range,
    slice: _slice,
    Pattern: _pattern,
    Nothing: _constant,
    EllipsisType: _constant,
    NotImplementedType: _constant,
}
