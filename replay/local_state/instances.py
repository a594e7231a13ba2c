"""How objects of users' classes are written: class, attributes, and what a built-in type among its bases holds."""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable
from traceback import walk_tb
from types import MemberDescriptorType
from typing import Any

from replay.code.ordinary import class_of_shared
from replay.frontend.ordinary.kinds import identity_of
from replay.local_state.code import write_class
from replay.local_state.containers import write_items, write_members
from replay.local_state.doubt import Doubt
from replay.local_state.fixed import HEAP_TYPE
from replay.local_state.writer import Handler, Writer

_IMMUTABLE_TYPE = 1 << 8
"""The flag of types written in C that were made at run time."""

_WORD = 8

_CONTENTS: dict[type, Callable[[Writer, Any], None]] = {
    object: lambda writer, value: None,
    int: lambda writer, value: writer.tokens.append(int(int.__int__(value))),
    float: lambda writer, value: writer.tokens.append(float.hex(value)),
    str: lambda writer, value: writer.tokens.append(str.__str__(value)),
    bytes: lambda writer, value: writer.tokens.append(bytes.__bytes__(value)),
    tuple: lambda writer, value: writer.all(tuple.__getitem__(value, slice(None))),
    list: lambda writer, value: writer.all(list.__getitem__(value, slice(None))),
    dict: lambda writer, value: write_items(writer, dict.items(value)),
    OrderedDict: lambda writer, value: write_items(writer, OrderedDict.items(value)),
    set: lambda writer, value: write_members(writer, value),
    frozenset: lambda writer, value: write_members(writer, value),
}
"""What instances of a built-in type hold beside attributes, and of users' classes that are made from it."""

_EXCEPTIONS = (BaseException, BaseExceptionGroup, StopIteration, SystemExit, AttributeError, NameError)
"""Built-in exceptions whose members are all that they hold."""


def rule_for(kind: type) -> Handler:
    """How instances of a class are written. Raises Doubt for one that may hold what cannot be seen."""
    if class_of_shared(kind) is not None:
        return _shared
    base = next(each for each in kind.__mro__ if not _is_written_in_python(each))
    if hasattr(kind, "__del__"):
        raise Doubt(f"an object of class {kind.__name__}, which has a __del__")
    if issubclass(kind, type):
        return write_class
    if issubclass(kind, enum.Enum):
        return _member
    if issubclass(kind, BaseException):
        known = base.__basicsize__ == BaseException.__basicsize__ or base in _EXCEPTIONS
        return _exception(kind) if known and _all_is_seen(kind, base) else _unknown(kind)
    if base not in _CONTENTS or not _all_is_seen(kind, base):
        return _unknown(kind)
    return _instance(kind, _CONTENTS[base])


def _shared(writer: Writer, value: Any) -> None:
    """An object that is shared memory holds nothing: its name says which one it is."""
    writer.tokens.append(identity_of(value).reference)
    write_class(writer, class_of_shared(type(value)))


def _is_written_in_python(kind: type) -> bool:
    return bool(kind.__flags__ & HEAP_TYPE) and not kind.__flags__ & _IMMUTABLE_TYPE


def _all_is_seen(kind: type, base: type) -> bool:
    """Whether instances have no room for anything but slots, a dictionary and weak references."""
    slots = len(slots_of(kind)) - len(slots_of(base))
    room = kind.__basicsize__ - base.__basicsize__
    if kind.__itemsize__:
        return room in (0, _WORD) and not slots
    references = kind.__weakrefoffset__ > 0 and not base.__weakrefoffset__
    dictionary = kind.__dictoffset__ > 0 and not base.__dictoffset__
    return room == _WORD * (slots + references + dictionary)


def slots_of(kind: type) -> list[MemberDescriptorType]:
    """The slots of a class and its bases."""
    return [held for each in kind.__mro__ for held in vars(each).values() if type(held) is MemberDescriptorType]


def _unknown(kind: type) -> Handler:
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"

    def doubt(writer: Writer, value: object) -> None:
        raise Doubt(f"an object of type {name}")

    return doubt


def _instance(kind: type, contents: Callable[[Writer, Any], None]) -> Handler:
    slots = slots_of(kind)

    def write(writer: Writer, value: object) -> None:
        if writer.is_new(value):
            writer.tokens.append("object")
            write_class(writer, kind)
            contents(writer, value)
            _write_attributes(writer, value, slots)

    return write


def _write_attributes(writer: Writer, value: object, slots: list[MemberDescriptorType]) -> None:
    for slot in slots:
        try:
            held = slot.__get__(value)
        except AttributeError:
            writer.tokens.append("unset")
            continue
        writer.write(held)
    attributes = _dictionary(value)
    if attributes is not None:
        writer.tokens.append(len(attributes))
        for name, held in attributes.items():
            writer.tokens.append(name)
            writer.write(held)


def _dictionary(value: object) -> dict[str, Any] | None:
    """An object's own attributes, None if it can have none."""
    for kind in type(value).__mro__:
        descriptor = vars(kind).get("__dict__")
        if descriptor is not None and hasattr(type(descriptor), "__get__"):
            return descriptor.__get__(value)  # type: ignore[no-any-return]
    return None


def _member(writer: Writer, value: enum.Enum) -> None:
    """A member of an enumeration is there once, and found by its name; combinations of flags by their value."""
    writer.tokens.append(enum.Enum)
    write_class(writer, type(value))
    writer.write(value._name_)
    writer.write(value._value_)


def _exception(kind: type) -> Handler:
    slots = slots_of(kind)

    def write(writer: Writer, value: BaseException) -> None:
        if writer.is_new(value):
            writer.tokens.append("exception")
            write_class(writer, kind)
            for part in (value.args, value.__cause__, value.__context__):
                writer.write(part)
            lines = [(writer.fixed.code_number(frame.f_code), line) for frame, line in walk_tb(value.__traceback__)]
            writer.tokens += (len(lines), *lines)
            _write_attributes(writer, value, slots)

    return write
