"""Looking at objects without running code of users: what models ask natively."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from replay.interpreter.calls import call, intrinsic
from replay.interpreter.execution import SWITCH, is_shared_here
from replay.interpreter.frame import MISSING as MISSING
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.intrinsics import called_type, class_of, shown_class
from replay.interpreter.lookup import ATOMS, is_a, is_compared_natively, is_hashed_by_code, lookup
from replay.interpreter.natives import natively
from replay.interpreter.sizes import is_short


@natively
def shown_kind(thing: object) -> type:
    """The class which a program sees."""
    return shown_class(thing)


@natively
def raw_method(thing: object, name: str) -> Any:
    """The special method of an object as its class holds it; MISSING if there is none."""
    return raw_of_class(type(thing), name)


@natively
def raw_of_class(kind: type, name: str) -> Any:
    """Returns what a class or one of its bases holds by a name; MISSING if none does."""
    found = lookup(kind, name)
    return MISSING if found is NULL else found


_BUILT_IN = (set, frozenset, list, tuple, str, bytes, bytearray, range)


@natively
def of_built_in(thing: Any, name: str) -> Any:
    """The method of the built-in class that the class of an object is made from, whatever that overrides."""
    return next(vars(kind)[name] for kind in _BUILT_IN if is_a(thing, kind))


@natively
def call_built_in(thing: Any, name: str, *arguments: Any) -> Any:
    """Calls that method."""
    return of_built_in(thing, name)(thing, *arguments)


@natively
def has(thing: object, name: str) -> bool:
    """Returns True if the class of an object has a special method."""
    return raw_of_class(type(thing), name) is not MISSING


@natively
def is_python(method: object) -> bool:
    """Returns True for a function of Python."""
    return type(method) is FunctionType


@natively
def takes_self(method: object) -> bool:
    """Returns True for methods which are called with the object first: binding them runs no code."""
    return type(method) in (FunctionType, WrapperDescriptorType, MethodDescriptorType)


def call_method(thing: Any, name: str, *arguments: Any) -> Any:
    """Call a special method, looked up in the class as CPython does."""
    method = raw_method(thing, name)
    if takes_self(method):
        return method(thing, *arguments)
    if has(method, "__get__"):
        method = method.__get__(thing, class_of(thing))
    return method(*arguments)


@intrinsic(call_method)
def _call_method(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    thing, name, *others = arguments
    method = raw_of_class(type(thing), name)
    if takes_self(method):
        return call(frame, method, [thing, *others], {})
    frame.execution.push(call_method, arguments, keywords)
    return SWITCH


def result_of(thing: Any, name: str, kind: Any, wanted: str) -> Any:
    """The result of a special method. Raises what CPython raises for one of a wrong class."""
    result = call_method(thing, name)
    if not is_a(result, kind):
        raise TypeError(f"{name} returned non-{wanted} (type {called_type(result)})")
    return result


# -- plain values ----------------------------------------------------------------------------

_DEPTH = 20


@natively
def is_plain(thing: object, depth: int = _DEPTH) -> bool:
    """Returns True for values of exact built-in types, and containers of such: no operation on them runs Python code.

    Containers nested deeper than `depth` are not looked into: they may hold themselves.
    """
    kind = type(thing)
    if kind in ATOMS:
        return True
    if depth and (kind is tuple or kind is list or kind is set or kind is frozenset):
        return all_plain(thing, depth - 1)
    if depth and kind is dict:
        return all_plain(thing, depth - 1) and all_plain(thing.values(), depth - 1)  # type: ignore[attr-defined]
    if kind is bytearray:
        return not is_shared_here(thing)  # what such a one holds is in memory
    return kind is range and is_short(thing)


@natively
def all_plain(things: Any, depth: int = _DEPTH) -> bool:
    """Returns True if everything in a container is plain."""
    return ATOMS.issuperset(map(type, things)) or all(is_plain(each, depth) for each in things)


# -- conditions on which a callable with a model runs natively all the same ------------------------


def plain_arguments(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    return all_plain(arguments) and (not keywords or all_plain(keywords.values()))


def compared_plainly(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """The first argument is a list or tuple, and its items are compared with the second one without any code."""
    if plain_arguments(arguments, keywords):
        return True
    if len(arguments) != 2 or keywords or type(arguments[0]) not in (list, tuple):
        return False
    return is_compared_natively(arguments[1]) and all(map(is_compared_natively, arguments[0]))


def plain_rest(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """All arguments but the first, which is a class or an object with that method, are plain."""
    return all_plain(arguments[1:]) and not keywords


_SIZED = frozenset({*ATOMS, list, tuple, dict, set, frozenset, range, bytearray, type({}.keys()), type({}.items())})


def built_in(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """The only argument is of an exact built-in type, whatever it holds."""
    return len(arguments) == 1 and type(arguments[0]) in _SIZED


_LENGTHS = frozenset(vars(kind)["__len__"] for kind in (list, tuple, dict, set, frozenset, deque))


def sized_natively(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """The only argument has the `__len__` of a built-in type."""
    return built_in(arguments, keywords) or (
        len(arguments) == 1
        and type(method := raw_of_class(type(arguments[0]), "__len__")) is WrapperDescriptorType
        and method in _LENGTHS
    )


_SEQUENCES = frozenset({list, tuple, str, bytes, range})


def sequence(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """The only argument is an exact built-in sequence, whose native iterator tells all by `__reduce__`."""
    return len(arguments) == 1 and type(arguments[0]) in _SEQUENCES and is_short(arguments[0])


def keys_going_through(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """As `going_through`, and a set made of what they hold calls no `__hash__` of Python."""
    return going_through(arguments, keywords) and all(map(_has_native_hashes, arguments))


def _has_native_hashes(things: Any) -> bool:
    """Returns True for a set or dictionary, which knows the hashes of what it holds, and if these are native."""
    if isinstance(things, set | frozenset | dict):
        return True
    return not any(map(is_hashed_by_code, things))


_FOR_GOING_THROUGH = frozenset({*_SEQUENCES, dict, set, frozenset, bytearray})


def going_through(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """The arguments are exact built-in containers: going through them runs no code."""
    return not keywords and _FOR_GOING_THROUGH.issuperset(map(type, arguments)) and all(map(is_short, arguments))
