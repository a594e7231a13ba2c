"""Values that memory holds as they are: they never change, and are the same in all instances of a program."""

from __future__ import annotations

import dataclasses
import functools
import sys
import weakref
from enum import Enum
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from replay.code.ordinary import CHANCE
from replay.frontend.ordinary.constants import found_by_name, is_constant, title_of
from replay.frontend.ordinary.contents import runs_code_of
from replay.frontend.ordinary.identity import is_bare
from replay.interpreter.lookup import identity, is_a
from replay.interpreter.origins import is_of_host
from replay.world.anatomy import EMPTY, filled_slots, is_written_in_python, slots_of
from replay.world.remembering import while_there
from replay.world.values import NoValue

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range, CodeType)


def held_by(thing: object) -> dict[str, Any]:
    """The attributes that an object that is not shared has by itself, those of its slots included."""
    slots = [each for each in slots_of(type(thing)) if is_written_in_python(each.__objclass__)]
    filled = zip(slots, filled_slots(thing, slots), strict=True)
    held: dict[str, Any] = {slot.__name__: value for slot, value in filled if value is not EMPTY}
    if type(thing).__dictoffset__:
        held |= object.__getattribute__(thing, "__dict__")
    return held


def is_plain(value: Any) -> bool:
    """Returns whether memory holds a value as it is: it never changes, and is the same in all instances."""
    kind = type(value)
    if kind in PLAIN or issubclass(kind, type | ModuleType | Enum) or (is_bare(kind) and is_constant(value)):
        return True
    if issubclass(kind, NoValue):
        return bool(value.is_value)
    if value is CHANCE:
        return True
    if issubclass(kind, FunctionType):
        return "<locals>" not in value.__qualname__ and (_is_of_module(value) or is_constant(value))
    if issubclass(kind, WrapperDescriptorType | MethodDescriptorType):
        return True
    if issubclass(kind, BuiltinFunctionType):
        return isinstance(value.__self__, ModuleType | type | None)
    if issubclass(kind, MethodType | functools.partial | BaseException | weakref.ref):
        return False
    if dataclasses.is_dataclass(kind):
        return _is_frozen_dataclass(value)
    return _is_value_of_library(kind) or _is_only_a_value(kind) or is_sentinel(value) or _is_lasting_logger(value)


@while_there
def _is_only_a_value(kind: Any) -> bool:
    """Returns whether a class is a number or a text with methods: without attributes, and compared as that is."""
    base = next((each for each in (str, int, float, bytes) if issubclass(kind, each)), None)
    if base is None or kind.__dictoffset__ or slots_of(kind) or runs_code_of(kind):
        return False
    return kind.__mro__[-2] is base and "<locals>" not in kind.__qualname__


def _is_lasting_logger(value: Any) -> bool:
    """Returns whether it is a logger that `logging` has by its name, of which there is one for all runs."""
    logging: Any = sys.modules.get("logging")
    if logging is None or type(value) not in (logging.Logger, logging.RootLogger):
        return False
    return value is logging.root or value is logging.Logger.manager.loggerDict.get(value.name)


def is_sentinel(value: Any) -> bool:
    """Returns whether it is an object that a module or a class has by a name, of a class made inside a function,
    and a value.

    Nobody has the class to make another one, and only which object it is can be asked for.
    """
    kind: Any = type(value)
    return (
        "<locals>" in kind.__qualname__
        and is_written_in_python(kind)
        and kind.__eq__ is object.__eq__
        and is_constant(value)
        and all(type(held) in PLAIN for held in held_by(value).values())
    )


def _is_of_module(function: FunctionType) -> bool:
    """Returns whether no other function made it: its own name may be that of what a decorator was given."""
    return "<locals>" not in function.__code__.co_qualname and is_of_host(function)


_names: dict[int, tuple[object, str]] = {}
"""By the identity of objects, which are kept alive with their names."""

_OF_ONE_VALUE = (int, float, complex, str, bytes, tuple, frozenset, range)
"""Of an object of these nobody knows whether it is the same one as another that is equal."""


def name_of_constant(value: Any) -> str:
    """The name of an object that there is once for all runs, which no other object has; "" if it has none."""
    if identity(value) not in _names:
        if is_a(value, _OF_ONE_VALUE) or not is_plain(value):
            return ""
        qualified = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        title = qualified if found_by_name(value) is value else title_of(value)
        if not title:
            return ""
        _names[identity(value)] = value, f"constant {title}"
    return _names[identity(value)][1]


def _is_frozen_dataclass(value: Any) -> bool:
    kind = type(value)
    if not kind.__dataclass_params__.frozen or kind.__hash__ is None or not is_of_host(kind):
        return False
    return all(type(held) in PLAIN or is_plain(held) for held in held_by(value).values())


# -- classes of Python itself ---------------------------------------------------------


def _is_value_of_library(kind: Any) -> bool:
    """Returns whether a class of Python itself is known to make values that never change, as `Fraction` and `Path`."""
    homes = (sys.modules.get(home) for home in _HOMES.get(kind.__name__, ()))
    return any(getattr(home, kind.__name__, None) is kind for home in homes)


_VALUES = {
    "builtins": "slice",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "ipaddress": "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface",
    "multiprocessing.process": "AuthenticationString",
    "pathlib": "PurePath PurePosixPath PureWindowsPath Path PosixPath WindowsPath",
    "re": "Pattern",
    "types": "GenericAlias UnionType",
    "_collections_abc": "_CallableGenericAlias",
    "typing": "_GenericAlias _UnionGenericAlias _LiteralGenericAlias _CallableGenericAlias _ConcatenateGenericAlias "
    "_UnpackGenericAlias _AnnotatedAlias _SpecialGenericAlias _CallableType _TupleType _SpecialForm "
    "_LiteralSpecialForm TypeVar TypeVarTuple ParamSpec ParamSpecArgs ParamSpecKwargs NewType",
    "uuid": "UUID",
}
"""By module, its classes of which nobody can change an object."""

_HOMES: dict[str, list[str]] = {}

for _home, _names_there in _VALUES.items():
    for _name in _names_there.split():
        _HOMES.setdefault(_name, []).append(_home)
