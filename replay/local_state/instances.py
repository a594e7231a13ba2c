"""How objects of users' classes are written: class, attributes, and what a built-in type among its bases holds."""

from __future__ import annotations

import enum
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable
from traceback import walk_tb
from typing import Any

from replay.code.bytecode import Doubt
from replay.code.ordinary import class_of_shared
from replay.code.stateless import is_stateless
from replay.frontend.description import Description
from replay.local_state.code import write_class, write_known_class
from replay.local_state.containers import (
    write_attributes,
    write_items,
    write_members,
    write_ordered_items,
    write_parts,
)
from replay.local_state.program_things import thing
from replay.local_state.writer import Handler, Writer
from replay.world.anatomy import IMMUTABLE, all_is_seen, base_of, immutable, slots_of

_CONTENTS: dict[type, Callable[[Writer, Any], None]] = {
    list: lambda writer, value: writer.all(list.__getitem__(value, slice(None))),
    dict: write_items,
    OrderedDict: write_ordered_items,
    set: write_members,
    frozenset: write_members,
}
"""What instances of a built-in type hold beside attributes, and of users' classes that are made from it."""

_EXCEPTIONS = (BaseException, BaseExceptionGroup, StopIteration, SystemExit, AttributeError, NameError)
"""Built-in exceptions whose members are all that they hold."""


def rule_for(kind: type) -> Handler:
    """How instances of a class are written. Raises Doubt for one that may hold what cannot be seen."""
    if class_of_shared(kind) is not None:
        return _shared
    if issubclass(kind, Description) and kind.__module__.startswith("replay."):
        return thing
    base = base_of(kind)
    if not is_stateless(kind):
        return _unknown(kind)
    parts = immutable(base)
    if kind is base and parts is not None:
        return write_parts
    if hasattr(kind, "__del__"):
        raise Doubt(f"an object of class {kind.__name__}, which has a __del__")
    if issubclass(kind, type):
        return write_known_class
    if issubclass(kind, enum.Enum):
        return _unknown(kind) if parts is None else _member
    if issubclass(kind, BaseException):
        known = base.__basicsize__ == BaseException.__basicsize__ or base in _EXCEPTIONS
        return _exception(kind) if known and all_is_seen(kind, base) else _unknown(kind)
    contents = _CONTENTS.get(base)
    if contents is None and parts is not None:
        contents = functools.partial(_write_immutable, parts)
    if contents is None or not all_is_seen(kind, base):
        return _unknown(kind)
    return _instance(kind, contents)


def _write_immutable(parts: Callable[[Any], Iterable[object]], writer: Writer, value: Any) -> None:
    for part in parts(value):
        writer.write(part)


def _shared(writer: Writer, value: Any) -> None:
    """An object that is shared memory holds nothing: its name says which one it is."""
    from replay.frontend.ordinary.kinds import identity_of  # late, as most programs share nothing of the kind

    writer.tokens.append(identity_of(value).reference)
    write_class(writer, class_of_shared(type(value)))


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
            write_attributes(writer, value, slots)

    return write


def _member(writer: Writer, value: enum.Enum) -> None:
    """A member of an enumeration is there once, and found by its name; combinations of flags by their value."""
    if writer.is_new(value):
        kind = type(value)
        writer.tokens.append(enum.Enum)
        write_class(writer, kind)
        base = base_of(kind)
        if base is not object:
            _write_immutable(IMMUTABLE[base], writer, value)
        write_attributes(writer, value, slots_of(kind))


def _exception(kind: type) -> Handler:
    slots = slots_of(kind)

    def write(writer: Writer, value: BaseException) -> None:
        if writer.is_new(value):
            writer.tokens.append("exception")
            write_class(writer, kind)
            for part in (value.args, value.__cause__, value.__context__):
                writer.write(part)
            if writer.reach_of_thread.ends and value.__traceback__ is not None:
                raise Doubt("an exception that may keep an object from its end")
            lines = [(writer.fixed.code_number(frame.f_code), line) for frame, line in walk_tb(value.__traceback__)]
            writer.tokens += (len(lines), *lines)
            write_attributes(writer, value, slots)

    return write
