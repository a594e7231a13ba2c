"""Values as text: the same for equal values of CPython and of the interpreter, and none of the program's code runs."""

from __future__ import annotations

import re
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from replay.interpreter.attributes import shown_class

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

PLAIN = frozenset({int, float, bool, bytes, complex, type(None), range, type(...), type(NotImplemented)})


def without_addresses(text: str) -> str:
    return ADDRESS.sub("", text)


def shown(value: Any, depth: int = 4) -> str:
    """Written without asking the value: its type, and what it holds."""
    kind = shown_class(value)
    if kind in PLAIN:
        return repr(value)
    if kind is str:
        return without_addresses(repr(value))
    if depth == 0:
        return kind.__name__
    if issubclass(kind, type):
        return f"class {type.__dict__['__qualname__'].__get__(value)}"
    if kind in (FunctionType, BuiltinFunctionType):
        return f"function {value.__qualname__}"
    if kind is MethodType:
        return f"method {shown(value.__func__, depth - 1)} of {shown(value.__self__, depth - 1)}"
    return _shown_contents(value, kind, depth - 1)


def _shown_contents(value: Any, kind: type, depth: int) -> str:
    parts = []
    for base, contents in _CONTENTS.items():
        if issubclass(kind, base):
            parts.append(contents(value, depth))
    attributes = _attributes(value, kind)
    if attributes:
        parts.append(_pairs(attributes.items(), depth))
    return f"{kind.__qualname__}({'; '.join(parts)})"


def _attributes(value: Any, kind: type) -> dict[str, Any]:
    """Instance attributes, of classes written in Python."""
    if kind.__module__ != "program" or issubclass(kind, Enum):
        return {}
    try:
        found = dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        found = {}
    for each in type.__dict__["__mro__"].__get__(kind):
        slots = type.__dict__["__dict__"].__get__(each).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            try:
                found[name] = object.__getattribute__(value, name)
            except AttributeError:
                continue
    return {name: each for name, each in found.items() if not name.startswith("__")}


def _items(values: Iterable[Any], depth: int) -> str:
    return ", ".join(shown(each, depth) for each in values)


def _pairs(pairs: Iterable[tuple[Any, Any]], depth: int) -> str:
    return ", ".join(f"{shown(key, depth)}: {shown(each, depth)}" for key, each in pairs)


def _exception(value: BaseException, depth: int) -> str:
    notes = BaseException.__getattribute__(value, "__dict__").get("__notes__", ())
    return _items(value.args, depth) + (f" noted {notes!r}" if notes else "")


_CONTENTS: dict[type, Any] = {
    int: lambda value, depth: int.__repr__(value),
    str: lambda value, depth: str.__repr__(value),
    float: lambda value, depth: float.__repr__(value),
    list: lambda value, depth: _items(list.__iter__(value), depth),
    tuple: lambda value, depth: _items(tuple.__iter__(value), depth),
    deque: lambda value, depth: _items(deque.__iter__(value), depth),
    OrderedDict: lambda value, depth: "ordered",
    defaultdict: lambda value, depth: f"default {shown(value.default_factory, depth)}",
    dict: lambda value, depth: _pairs(dict.items(value), depth),
    set: lambda value, depth: ", ".join(sorted(shown(each, depth) for each in set.__iter__(value))),
    frozenset: lambda value, depth: ", ".join(sorted(shown(each, depth) for each in frozenset.__iter__(value))),
    slice: lambda value, depth: _items((value.start, value.stop, value.step), depth),
    BaseException: _exception,
    property: lambda value, depth: _items((value.fget, value.fset, value.fdel), depth),
}
"""What values of a type or of its subclasses hold."""
