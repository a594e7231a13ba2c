"""How functions, methods, classes and modules are written, and objects of users' classes.

What every run has is a number; all else is its parts. Of an object these are its class, its attributes, and what a
built-in type among the bases of its class holds.
"""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]
import enum
import functools
import gc
import types
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from replay.code.names import cell_contents
from replay.code.stateless import is_known_module, is_stateless
from replay.frontend.description import Description
from replay.interpreter.contexts import is_decimal_context, told_of
from replay.local_state.containers import (
    write_attributes,
    write_items,
    write_members,
    write_ordered_items,
    write_parts,
)
from replay.local_state.layouts import function_behind
from replay.local_state.program_things import thing
from replay.local_state.reach import is_bare
from replay.local_state.writer import Handler, Unkeyable, Writer, holding, made_of, told_by
from replay.world.anatomy import IMMUTABLE, all_is_seen, base_of, immutable, slots_of


def _function(writer: Writer, value: types.FunctionType) -> None:
    _check_stateless(value)
    number = None if "<" in value.__qualname__ else writer.fixed.number(value)
    if number is not None and is_bare(value):
        writer.tokens += (types.FunctionType, number)
        writer.reach(writer.fixed.reached_by_code(value.__code__, value.__globals__))
    elif writer.is_new(value):
        code, names = value.__code__, (value.__name__, value.__qualname__, value.__module__)
        writer.tokens += ("function", number, writer.fixed.code_number(code), *names)
        write_names(writer, value.__globals__)
        for part in (value.__doc__, value.__annotations__, value.__defaults__, value.__kwdefaults__, value.__dict__):
            if part:
                writer.write(part)
            else:
                writer.tokens.append(None)
        writer.all(value.__closure__ or ())
        writer.reach(writer.fixed.reached_by_code(code, value.__globals__))


def _check_stateless(value: Any) -> None:
    if not is_stateless(value):
        raise Unkeyable(f"{value.__qualname__}, which may keep something")


def write_names(writer: Writer, names: dict[str, Any]) -> None:
    """The global variables of a function: those of a module by number."""
    number = writer.fixed.namespace_number(names)
    writer.tokens.append(number)
    if number is None and writer.is_new(names):
        write_items(writer, {name: value for name, value in names.items() if name != "__builtins__"})


def _builtin(writer: Writer, value: types.BuiltinFunctionType) -> None:
    _check_stateless(value)
    writer.tokens += (types.BuiltinFunctionType, function_behind(value))
    if not isinstance(value.__self__, types.ModuleType):
        writer.write(value.__self__)


def _descriptor(writer: Writer, value: Any) -> None:
    """Writes a method or attribute written in C, or a slot, as a class has it."""
    writer.tokens += (type(value), value.__name__)
    write_class(writer, value.__objclass__)


_FieldOfNamedTuple = type(vars(namedtuple("_", "field"))["field"])


def _module(writer: Writer, value: types.ModuleType) -> None:
    number = writer.fixed.number(value)
    if number is None or not is_known_module(value):
        raise Unkeyable(f"the module {value.__name__}")
    writer.tokens += (types.ModuleType, number)


def write_known_class(writer: Writer, value: Any) -> None:
    """A class that is held as a value."""
    _check_stateless(value)
    write_class(writer, value)


def write_class(writer: Writer, value: Any) -> None:
    """A class of a module by number; one that the program function makes anew in each run by its text and contents."""
    number = writer.fixed.number(value)
    if number is not None:
        writer.tokens += (type, number)
        writer.reach(writer.fixed.reached_by_class(value))
    elif writer.is_new(value):
        writer.tokens += ("class", value.__name__, value.__qualname__)
        write_class(writer, type(value))
        writer.tokens.append(len(value.__bases__))
        for base in value.__bases__:
            write_class(writer, base)
        for name, held in vars(value).items():
            if name == "_abc_impl":
                registered, *_ = _abc._get_dump(value)
                if registered:
                    raise Unkeyable("an abstract class that others were registered with")
            elif type(held) is not types.GetSetDescriptorType:
                writer.tokens.append(name)
                writer.write(held)
        writer.tokens.append("end")


HANDLERS: dict[type, Handler] = {
    types.CodeType: lambda writer, value: writer.tokens.extend((types.CodeType, writer.fixed.code_number(value))),
    types.FunctionType: _function,
    types.CellType: holding(lambda writer, value: writer.all(cell_contents(value))),
    types.MethodType: made_of(lambda value: (value.__func__, value.__self__), has_identity=False),
    types.BuiltinFunctionType: _builtin,
    **dict.fromkeys(
        (
            types.MethodDescriptorType,
            types.WrapperDescriptorType,
            types.MemberDescriptorType,
            types.GetSetDescriptorType,
        ),
        _descriptor,
    ),
    types.MethodWrapperType: made_of(gc.get_referents, has_identity=False),
    _FieldOfNamedTuple: told_by(lambda value: (value.__reduce__()[1][0],)),
    property: made_of(lambda value: (value.fget, value.fset, value.fdel, value.__doc__)),
    **dict.fromkeys((staticmethod, classmethod), made_of(lambda value: (value.__func__, value.__dict__))),
    functools.partial: made_of(lambda value: (value.func, value.args, value.keywords, value.__dict__ or None)),
    types.ModuleType: _module,
    type: write_known_class,
}


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
    """How instances of a class are written. Raises Unkeyable for one that may hold what cannot be seen."""
    if issubclass(kind, Description) and kind.__module__.startswith("replay."):
        return thing
    if is_decimal_context(kind):
        return holding(lambda writer, value: writer.tokens.extend(told_of(value)))
    base = base_of(kind)
    if not is_stateless(kind):
        return _unknown(kind)
    parts = immutable(base)
    if kind is base and parts is not None:
        return write_parts
    if hasattr(kind, "__del__"):
        raise Unkeyable(f"an object of class {kind.__name__}, which has a __del__")
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
    writer.all(tuple(parts(value)))  # with their number: of a tuple of a user's class each object has another one


def _unknown(kind: type) -> Handler:
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"

    def doubt(writer: Writer, value: object) -> None:
        raise Unkeyable(f"an object of type {name}")

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
                raise Unkeyable("an exception that may keep an object from its end")
            if writer.execution is None:
                raise Unkeyable("an exception that a thread returns")
            lines = list(writer.execution.passed(value))
            writer.tokens += (len(lines), *lines)
            write_attributes(writer, value, slots)

    return write
