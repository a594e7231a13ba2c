"""The parts of an object, by its exact type: all by which it can be told from another one of that type.

Types written in C are known one by one, and so is what they hold. A class
written in Python adds attributes and slots to the type it is made from, and
nothing else. Of whatever is not known here, nobody may say that two objects
are the same. No code of users runs.
"""

from __future__ import annotations

import functools
import pathlib
import struct
from collections.abc import Callable, Iterable
from types import MemberDescriptorType
from typing import Any

HEAP_TYPE = 1 << 9
"""The flag of types that were made at run time."""

_IMMUTABLE_TYPE = 1 << 8
"""The flag of types written in C that were made at run time."""

_WORD = 8


def _named(kind: type, names: Iterable[str]) -> Callable[[Any], tuple[object, ...]]:
    """Takes an object apart by the attributes that its type written in C has for these names."""
    getters = [vars(kind)[name].__get__ for name in names]
    return lambda value: tuple(get(value) for get in getters)


def _of_float(value: float) -> tuple[object, ...]:
    """A number, or the bits of a NaN: its sign and payload can be seen."""
    return (float.hex(value),) if value == value else (struct.pack("<d", value),)


IMMUTABLE: dict[type, Callable[[Any], Iterable[object]]] = {
    object: lambda value: (),
    int: lambda value: (int.__int__(value),),
    float: lambda value: _of_float(float.__float__(value)),
    complex: lambda value: (*_of_float(value.real), *_of_float(value.imag)),
    str: lambda value: (str.__str__(value),),
    bytes: lambda value: (bytes.__bytes__(value),),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    frozenset: lambda value: (tuple(frozenset.__iter__(value)), frozenset.__sizeof__(value)),
    range: _named(range, ("start", "stop", "step")),
    slice: _named(slice, ("start", "stop", "step")),
}
"""Types whose objects nobody can change, and what these hold beside attributes of classes made from them."""


def _of_decimal() -> dict[type, Callable[[Any], Iterable[object]]]:
    from decimal import Decimal

    return {Decimal: lambda value: tuple(Decimal.as_tuple(value))}


def _of_datetime() -> dict[type, Callable[[Any], Iterable[object]]]:
    from datetime import date, datetime, time, timedelta, timezone

    day = _named(date, ("year", "month", "day"))
    hour = ("hour", "minute", "second", "microsecond", "fold", "tzinfo")
    moment = _named(datetime, hour)
    return {
        date: day,
        time: _named(time, hour),
        datetime: lambda value: (*day(value), *moment(value)),
        timedelta: _named(timedelta, ("days", "seconds", "microseconds")),
        timezone: lambda value: timezone.__getinitargs__(value),  # type: ignore[attr-defined]
    }


_LATE = {"decimal": _of_decimal, "datetime": _of_datetime}
"""Modules that few programs import, with what they add to `IMMUTABLE`."""

_PATHS = tuple(each for each in vars(pathlib).values() if isinstance(each, type) and issubclass(each, pathlib.PurePath))
"""Classes of paths: these remember texts that they have made, and are nothing but their own."""


def is_path(kind: type) -> bool:
    """Returns whether a class is one of Python's own classes of paths."""
    return kind in _PATHS


def immutable(base: type) -> Callable[[Any], Iterable[object]] | None:
    """How objects of a type are taken apart that nobody can change; None if that is not known of the type."""
    if base not in IMMUTABLE and base.__module__ in _LATE:
        IMMUTABLE.update(_LATE[base.__module__]())
    return IMMUTABLE.get(base)


def base_of(kind: type) -> type:
    """The type written in C that a class is made from; the class itself if it is one."""
    return next(each for each in kind.__mro__ if not is_written_in_python(each))


def is_written_in_python(kind: type) -> bool:
    """Returns whether a class was made by a `class` statement."""
    return bool(kind.__flags__ & HEAP_TYPE) and not kind.__flags__ & _IMMUTABLE_TYPE


def all_is_seen(kind: type, base: type) -> bool:
    """Returns whether a class adds to what `base` holds nothing but slots, a dictionary and weak references."""
    slots = len(slots_of(kind)) - len(slots_of(base))
    room = kind.__basicsize__ - base.__basicsize__
    if kind.__itemsize__:
        return room in (0, _WORD) and not slots
    references = kind.__weakrefoffset__ > 0 and not base.__weakrefoffset__
    dictionary = kind.__dictoffset__ > 0 and not base.__dictoffset__
    return room == _WORD * (slots + references + dictionary)


def slots_of(kind: type) -> list[MemberDescriptorType]:
    """The slots of a class and its bases."""
    return [
        slot
        for each in kind.__mro__
        for slot in (_own_slots(each) if each.__flags__ & HEAP_TYPE else _slots_that_stay(each))
    ]


def _own_slots(kind: type) -> list[MemberDescriptorType]:
    return [held for held in vars(kind).values() if type(held) is MemberDescriptorType]


_slots_that_stay = functools.cache(_own_slots)
"""Asked of types that were not made at run time, which nobody can change."""


def filled_slots(value: object, slots: Iterable[MemberDescriptorType]) -> tuple[object, ...]:
    """Returns what an object has in its slots, `EMPTY` where nothing was assigned."""
    return tuple(_filled(value, slot) for slot in slots)


def _filled(value: object, slot: MemberDescriptorType) -> object:
    try:
        return slot.__get__(value)
    except AttributeError:
        return EMPTY


EMPTY = type("Empty", (), {"__repr__": lambda self: "empty"})()
"""What is in a slot to which nothing was assigned."""


def dictionary_of(value: object) -> dict[str, Any] | None:
    """An object's own attributes, None if it can have none."""
    for kind in type(value).__mro__:
        descriptor = vars(kind).get("__dict__")
        if descriptor is not None and hasattr(type(descriptor), "__get__"):
            return descriptor.__get__(value)  # type: ignore[no-any-return]
    return None


def looked_up(kind: type, name: str) -> Any:
    """Returns what a class or the first of its bases that has a name holds for it, as Python keeps it; None if none
    has it."""
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def is_cached_attribute(kind: type, name: str) -> bool:
    """Returns whether the attribute of that name is the remembered result of a method."""
    return isinstance(looked_up(kind, name), functools.cached_property)


def parts_of(value: Any) -> tuple[object, ...] | None:
    """Returns what tells an immutable value from others of its exact type; None if that is not known."""
    kind = type(value)
    if is_path(kind):
        return (str(value),)
    base = base_of(kind)
    parts = immutable(base)
    if parts is None or not (kind is base or all_is_seen(kind, base)):
        return None
    if kind is base:
        return tuple(parts(value))
    named = (dictionary_of(value) or {}).items()
    own = {name: each for name, each in named if not is_cached_attribute(kind, name)}
    return (*parts(value), *filled_slots(value, slots_of(kind)), own)
