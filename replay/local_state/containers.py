"""How values of built-in types are written, and iterators over them.

Iterators are asked for a way to make their equal, which changes nothing: over what they go, and how far they are.
"""

from __future__ import annotations

import gc
import struct
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from enum import Enum
from io import BytesIO, StringIO
from re import Pattern
from types import EllipsisType, MappingProxyType, MemberDescriptorType, NotImplementedType, WrapperDescriptorType
from typing import Any

from replay.interpreter.lookup import identity
from replay.interpreter.set_orders import goes_by_address
from replay.interpreter.streams import state_of_stream
from replay.local_state.layouts import dict_hashes, dict_layout, set_hashes, set_layout
from replay.local_state.writer import ALL_ALIKE, Handler, Unkeyable, Writer, holding, made_of
from replay.world.anatomy import EMPTY, dictionary_of, filled_slots, parts_of


def _float(writer: Writer, value: float) -> None:
    if value == value:
        writer.tokens += (float, value.hex())
    else:
        _not_a_number(writer, value, struct.pack("<d", value))


def _complex(writer: Writer, value: complex) -> None:
    if value == value:
        writer.tokens += (complex, value.real.hex(), value.imag.hex())
    else:
        _not_a_number(writer, value, struct.pack("<dd", value.real, value.imag))


def _not_a_number(writer: Writer, value: complex, bits: bytes) -> None:
    """Writes a NaN with its sign and payload. It equals nothing, and is found in a list all the same where it is
    itself, so its identity counts."""
    writer.tokens += (type(value), bits)
    writer.keep(value)
    writer.is_new(value)


def write_items(writer: Writer, value: dict[Any, Any]) -> None:
    """The items of a dictionary in their order, after their number."""
    writer.tokens.append(dict.__len__(value))
    writer.check_size(dict.__len__(value))
    steady = True
    for key, held in dict.items(value):
        writer.write(key)
        writer.write(held)
        steady = steady and has_steady_hash(key)
    writer.tokens.append(dict_layout(value))  # if an insertion moves items, iterators that begin later see that
    if not steady:
        writer.tokens.append(dict_hashes(value))


def has_steady_hash(key: object) -> bool:
    """Returns whether the hash of a key follows from what is written of it; a hash by code of users may change."""
    kind = type(key)
    if kind in (tuple, frozenset):
        return all(map(has_steady_hash, key))  # type: ignore[call-overload]
    how = kind.__hash__
    if how is Enum.__hash__:
        return True
    return type(how) is WrapperDescriptorType and how not in (tuple.__hash__, frozenset.__hash__)


def _default_dict(writer: Writer, value: defaultdict[object, object]) -> None:
    writer.write(value.default_factory)
    write_items(writer, value)


def _ordered_dict(writer: Writer, value: OrderedDict[object, object]) -> None:
    write_ordered_items(writer, value)
    write_attributes(writer, value, ())


def write_ordered_items(writer: Writer, value: OrderedDict[Any, Any]) -> None:
    """The items as the dictionary below keeps them, and their places in the order that counts."""
    if not all(map(has_steady_hash, dict.keys(value))):
        raise Unkeyable("an OrderedDict whose keys have a __hash__ of their own")
    write_items(writer, value)
    places = {id(key): place for place, key in enumerate(dict.keys(value))}
    writer.tokens += (places[id(key)] for key in OrderedDict.__iter__(value))


def write_attributes(writer: Writer, value: object, slots: Iterable[MemberDescriptorType]) -> None:
    """Writes what an object has in slots, and by name: in a dictionary that code may hold as well."""
    for held in filled_slots(value, slots):
        writer.write(held)
    attributes = dictionary_of(value)
    if attributes is not None and writer.is_new(attributes):
        writer.tokens.append(len(attributes))
        for name, held in attributes.items():
            writer.tokens.append(name)
            writer.write(held)


def write_members(writer: Writer, value: set[object] | frozenset[object]) -> None:
    """The members of a set in their order, and where it keeps them: that decides where others will come to be."""
    if value and type(value) in (set, frozenset) and goes_by_address(value, writer.shared):
        _write_shared_members(writer, value)
        return
    for member in value:
        if type(member).__hash__ is object.__hash__ and not isinstance(member, type):
            raise Unkeyable(f"a set of objects of type {type(member).__name__}, whose order is that of their addresses")
    header, places = set_layout(value)
    writer.tokens += (*header, len(places), *places)
    if not all(map(has_steady_hash, value)):
        writer.tokens.append(set_hashes(value))
    writer.all(value)


def _write_shared_members(writer: Writer, value: set[object] | frozenset[object]) -> None:
    """Members by their names, and the order in which the thread has found them, in which some may be that are gone."""
    found = None if writer.execution is None else writer.execution.orders.of(value)
    members = sorted((writer.shared[identity(each)].reference for each in value), key=lambda each: each.name)
    writer.tokens += ("shared", *set_layout(value)[0], len(members), *members)
    writer.all(found or ())


def write_parts(writer: Writer, value: object) -> None:
    """Writes an immutable object."""
    parts = parts_of(value)
    if parts is None:
        raise Unkeyable(f"an object of type {type(value).__name__}")
    writer.tokens.append(type(value))
    writer.all(parts)


def _sequence(writer: Writer, value: Any) -> None:
    """Of a list, tuple, string: the sequence and the position; one that came to the end has let go of it."""
    _, (sequence,), *position = value.__reduce__()
    if position:
        writer.tokens += position
        writer.write(sequence)
    else:
        writer.tokens.append("at the end")


def _range(writer: Writer, value: Any) -> None:
    """Of a range: what is left of it."""
    _, (whole,), *position = value.__reduce__()
    left = whole[position[0] if position and position[0] else 0 :]
    writer.tokens += (len(left), *((left.start, left.step) if left else ()))


def _wrapper(writer: Writer, value: Any) -> None:
    """Of iterators: these, and what it keeps itself."""
    if writer.reach_of_thread.ends:
        raise Unkeyable("an iterator that may hold what it gave last")
    _, parts, *more = value.__reduce__()
    writer.tokens += more
    writer.all(parts)


class _BySubscript:
    """An iterable that `iter` reads one subscript after the other."""

    def __getitem__(self, _: int) -> object:
        raise IndexError


_nothing: dict[Any, Any] = {}

_LARGE = 1 << 80

_SEQUENCES: tuple[type, ...] = (
    *(type(iter([])), type(reversed([])), type(iter(()))),
    *(type(iter("")), type(iter("\u00e9")), type(iter(b"")), type(iter(bytearray()))),
)
_RANGES = (type(iter(range(1))), type(iter(range(_LARGE))))


def _stream(value: Any) -> tuple[Any, ...]:
    try:
        return state_of_stream(value)[:-1]
    except ValueError:
        raise Unkeyable(f"a {type(value).__name__} of which not all can be told") from None


HANDLERS: dict[type, Handler] = {
    float: _float,
    complex: _complex,
    tuple: holding(Writer.all, has_identity=False),
    list: holding(Writer.all),
    dict: holding(write_items),
    defaultdict: holding(_default_dict),
    OrderedDict: holding(_ordered_dict),
    set: holding(write_members),
    frozenset: holding(write_members, has_identity=False),
    deque: made_of(lambda value: (value.maxlen, tuple(value))),
    bytearray: made_of(lambda value: (bytes(value),)),
    array: made_of(lambda value: (value.typecode, value.tobytes())),
    **dict.fromkeys((StringIO, BytesIO), made_of(_stream)),
    range: write_parts,
    slice: write_parts,
    MappingProxyType: made_of(lambda value: gc.get_referents(value)[:1], has_identity=False),
    Pattern: made_of(lambda value: (value.pattern, value.flags), has_identity=False),
    **dict.fromkeys((type(EMPTY), EllipsisType, NotImplementedType), ALL_ALIKE),
    **dict.fromkeys((*_SEQUENCES, type(iter(_BySubscript())), reversed), holding(_sequence)),
    **dict.fromkeys(_RANGES, holding(_range)),
    **dict.fromkeys((enumerate, zip, map, filter, type(iter(int, 1))), holding(_wrapper)),
    **dict.fromkeys(
        (type(_nothing.keys()), type(_nothing.values()), type(_nothing.items())), made_of(gc.get_referents)
    ),
}
