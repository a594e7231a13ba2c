"""Look-ups in dictionaries and sets of keys with a `__hash__` of Python.

The hash is computed first, and the keys that a look-up would compare are found natively: while a native operation
runs, the key belongs to a class derived from its own, whose `__hash__` and `__eq__` return what is known by then.
CPython asks the derived class first, so nothing of the user's is called. Comparisons follow, and then the operation.

The key of the look-up only is treated so: keys inside of a tuple, and keys of another class that has an `__eq__` of
Python, are hashed and compared natively.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from replay.interpreter.library.looking import MISSING, is_python, raw_method, raw_of_class
from replay.interpreter.natives import Condition, natively, stands_for

_set_class = vars(object)["__class__"].__set__
_DERIVED: dict[type, type | None] = {}
"""By class of keys the derived one; None if there can be none."""


class _Known:
    """What is known of the key of the running operation: its hash, the key equal to it, and those compared with it."""

    hash = 0
    equal: Any = MISSING
    compared: list[Any]


def _hash(_: Any) -> int:
    return _Known.hash


def _eq(_: Any, other: Any) -> bool:
    _Known.compared.append(other)
    return other is _Known.equal


def _derived(kind: type) -> type | None:
    if kind not in _DERIVED:
        hook = raw_of_class(kind, "__init_subclass__")
        is_native = not isinstance(getattr(hook, "__func__", hook), FunctionType)
        members = {"__slots__": (), "__hash__": _hash, "__eq__": _eq}
        try:
            _DERIVED[kind] = type.__new__(type(kind), kind.__name__, (kind,), members) if is_native else None
        except TypeError:
            _DERIVED[kind] = None
    return _DERIVED[kind]


@natively
def run(things: Any, name: str, key: Any, number: int, equal: Any, more: tuple[Any, ...]) -> Any:
    """Call a native method of a container; returns its result, and the keys that the key was compared with."""
    kind = type(key)
    derived = _derived(kind)
    _Known.hash, _Known.equal, _Known.compared = number, equal, []
    assert derived is not None
    _set_class(key, derived)
    try:
        return method_of(things, name)(things, key, *more), _Known.compared
    finally:
        _set_class(key, kind)


def method_of(things: Any, name: str) -> Any:
    kind = next(kind for kind in (dict, set, frozenset) if isinstance(things, kind))
    return vars(kind)[name]


@natively
def can_be_derived(key: Any) -> bool:
    """Returns True if the class of a key can be exchanged for a moment."""
    derived = _derived(type(key))
    if derived is None:
        return False
    kind = type(key)
    try:
        _set_class(key, derived)
    except TypeError:
        _DERIVED[kind] = None
        return False
    _set_class(key, kind)
    return True


@natively
def run_natively(things: Any, name: str, key: Any, more: tuple[Any, ...]) -> Any:
    return method_of(things, name)(things, key, *more)


def looked_up(things: Any, name: str, key: Any, *more: Any) -> Any:
    """The result of a method of a dictionary or set, whose first argument is a key."""
    if not can_be_derived(key):
        return run_natively(things, name, key, more)
    number = hash(key)
    _, candidates = run(things, "__contains__", key, number, MISSING, ())
    equal = MISSING
    for candidate in candidates:
        if candidate == key:
            equal = candidate
            break
    result, _ = run(things, name, key, number, equal, more)
    return result


def has_plain_key(arguments: Any, keywords: Any) -> bool:
    """Returns True unless the key, the second argument, has a `__hash__` of Python."""
    return len(arguments) < 2 or not is_python(raw_method(arguments[1], "__hash__"))


@stands_for(type.__subclasses__)
def subclasses(kind: Any, /) -> Any:
    return subclasses_of_users(kind)


@natively
def subclasses_of_users(kind: Any) -> list[type]:
    derived = set(map(id, _DERIVED.values()))
    return [each for each in type.__subclasses__(kind) if id(each) not in derived]


def _method(kind: type, name: str, natively_if: Condition = has_plain_key) -> None:
    @stands_for(vars(kind)[name], natively_if=natively_if)
    def model(things: Any, key: Any, /, *more: Any) -> Any:
        return looked_up(things, name, key, *more)


for _name in ("__contains__", "__delitem__", "__setitem__", "get", "pop", "setdefault"):
    _method(dict, _name)
for _name in ("__contains__", "add", "discard", "remove"):
    _method(set, _name)
_method(frozenset, "__contains__")
