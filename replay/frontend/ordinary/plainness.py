"""Whether what Python does with a value runs code of somebody's, which lets other threads in between.

To compare numbers, strings and tuples of them is Python's own business; so it is to ask whether an object is
another one, where its class has no `__eq__`. All else is code.
"""

from __future__ import annotations

import functools
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import Any

from replay.code.ordinary import class_of_shared
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.values import Built, Reference

ASKED = (
    *("__eq__", "__hash__", "__lt__", "__gt__", "__le__", "__ge__", "__ne__", "__add__", "__radd__", "__bool__"),
    *("__len__", "__iter__", "__contains__"),
)
"""Methods by which C code asks the items of containers."""

_SILENT = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range, FunctionType, BuiltinFunctionType)


def runs_code(value: object, methods: tuple[str, ...] = ASKED) -> bool:
    """Whether one of these methods of a value, as memory or a thread has it, may run code, or look into memory."""
    kind: Any = type(value)
    if kind in _SILENT:
        return False
    if kind is Reference:
        return not _is_silent(value.member.kind, methods)  # type: ignore[attr-defined]
    if kind is Built:
        return False
    if isinstance(value, tuple | frozenset) and any(runs_code(each, methods) for each in value):
        return True
    return not _is_silent(class_of_shared(kind) or kind, methods)


@functools.cache
def _is_silent(kind: type, methods: tuple[str, ...]) -> bool:
    if base_of(kind) is not None:
        return False
    return not any(hasattr(getattr(kind, each, None), "__code__") for each in methods)


def is_compared_by_code(kind: type) -> bool:
    """Whether objects of a class, which memory holds by reference, are equal when code of the user says so."""
    return not issubclass(kind, Enum) and hasattr(kind.__eq__, "__code__")
