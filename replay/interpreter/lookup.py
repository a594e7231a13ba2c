"""Lookup of special methods and class attributes, without running any code of users.

`isinstance`, `hasattr` and `getattr` would run it: an object may have a `__class__` or a `__getattribute__` of its own.
"""

from __future__ import annotations

from types import FunctionType, MethodDescriptorType, UnionType, WrapperDescriptorType
from typing import Any

from replay.interpreter.frame import NULL

Kinds = type | UnionType | tuple["Kinds", ...]

mro_of = type.__dict__["__mro__"].__get__
namespace_of = type.__dict__["__dict__"].__get__

for _iterator in ((lambda: None).__code__.co_positions(), (lambda: None).__code__.co_lines()):
    assert type(_iterator).__mro__  # CPython 3.11 fills in these classes when they are first asked, and `mro_of` is not

_found: dict[tuple[type, str], Any] = {}
_MOST = 100_000
"""Lookups that are remembered; then all are forgotten, and with them classes that a run has made."""


def lookup(kind: type, name: str) -> Any:
    """Returns what a class or one of its bases has by a name, as it stands there; NULL if none has it."""
    key = (kind, name)
    try:
        return _found[key]
    except KeyError:
        pass
    value = NULL
    for base in mro_of(kind):
        namespace = namespace_of(base)
        if name in namespace:
            value = namespace[name]
            break
    if len(_found) > _MOST:
        _found.clear()
    _found[key] = value
    return value


def forget_lookups() -> None:
    """A class has changed: look everything up again."""
    _found.clear()
    plans.clear()


identity = object.__hash__
"""A number that no other living object has. Unlike `id`, asking for it raises no audit event."""

plans: dict[tuple[type, str], Any] = {}
"""How an attribute of an object is read, by its class and name; kept by `replay.interpreter.attributes`."""


def is_a(value: object, kind: Kinds) -> bool:
    """Returns True if the class of an object is `kind`, which is none of users, or derived from it."""
    return issubclass(type(value), kind)


def is_derived(kind: type, base: type) -> bool:
    """Returns True if a class is `base` or derived from it, without asking their metaclasses."""
    return type.__subclasscheck__(base, kind)


def python_method(kind: type, name: str) -> FunctionType | None:
    """The special method of a class if it is a Python function; None if it has another one or none."""
    found = lookup(kind, name)
    return found if type(found) is FunctionType else None


HASHED_NATIVELY: set[type] = set()
"""Classes of this package whose `__hash__` and `__eq__` are of Python, and call nothing of users."""


def is_hashed_by_code(key: object) -> bool:
    """Returns True for a key whose `__hash__` is a Python function, and for a tuple that has one among its items."""
    kind = type(key)
    if kind in ATOMS or kind in HASHED_NATIVELY:
        return False
    if kind is tuple:
        return any(map(is_hashed_by_code, key))  # type: ignore[call-overload]
    return type(lookup(kind, "__hash__")) is FunctionType


_BY_IDENTITY = (object.__eq__, vars(type(len))["__eq__"])
"""Methods by which an object is equal to itself only; a method of C, to itself bound to the same object."""


def is_compared_natively(thing: object) -> bool:
    """Returns True for values that hold nothing, and for objects that are equal to themselves only."""
    kind = type(thing)
    return kind in ATOMS or any(lookup(kind, "__eq__") is each for each in _BY_IDENTITY)


HEAP = 1 << 9
"""A flag of classes that were made while Python ran, such as by `class`."""

METHODS_OF_C = (MethodDescriptorType, WrapperDescriptorType)
"""Classes of methods of C, as classes of C have them."""

ATOMS = frozenset({int, str, float, bool, type(None), bytes, complex, type(Ellipsis), type(NotImplemented)})
"""Classes of values that hold nothing, and none of whose methods is a Python function."""

PLAIN = frozenset(
    {
        int, str, float, bool, type(None), list, dict, tuple, set, frozenset, bytes, bytearray, complex, range, slice,
        type(Ellipsis), type(NotImplemented),
    }
)  # fmt: skip
"""Classes none of whose methods is a Python function."""
