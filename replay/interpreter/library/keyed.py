"""Look-ups in dictionaries and sets of keys with a `__hash__` of Python.

The hash is computed first, and the keys that a look-up would compare are found natively: while a native operation
runs, the key belongs to a class derived from its own, whose `__hash__` and `__eq__` return what is known by then.
CPython asks the derived class first, so nothing of the user's is called. Comparisons follow, and then the operation.
A tuple is looked up by a `_HashedTuple` in its place; if it is stored, its items are of derived classes meanwhile.

The key of the look-up only is treated so: keys inside of a frozen set, and keys of another class that has an `__eq__`
of Python, are hashed and compared natively.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from replay.interpreter.calls import refuse_here
from replay.interpreter.execution import is_shared_here
from replay.interpreter.library.looking import MISSING, is_python, raw_method, raw_of_class
from replay.interpreter.lookup import identity, is_a, is_hashed_by_code
from replay.interpreter.natives import Condition, call_natively, natively, stands_for
from replay.interpreter.versions import NEW_MESSAGES

_OF_SETS = (set.__contains__, frozenset.__contains__)
_set_class = vars(object)["__class__"].__set__
_DERIVED: dict[type, type | None] = {}
"""By class of keys the derived one; None if there can be none."""


class _KeyFacts:
    """Facts about the key of the running operation: hashes, the key equal to it, and those compared with it.

    hashes  of the key, or of the items of a tuple that it is, by `lookup.identity`; or the error of their `__hash__`
    """

    hashes: dict[int, int | TypeError]
    equal: Any = MISSING
    compared: list[Any]


def _hash(key: Any) -> int:
    known = _KeyFacts.hashes[identity(key)]
    if isinstance(known, TypeError):
        raise known
    return known


def _eq(_: Any, other: Any) -> bool:
    _KeyFacts.compared.append(other)
    return other is _KeyFacts.equal


class _HashedTuple:
    """Stands for a tuple whose hash is known."""

    __hash__, __eq__ = _hash, _eq


def _derived(kind: type) -> type | None:
    if kind not in _DERIVED:
        hook = raw_of_class(kind, "__init_subclass__")
        is_native = not isinstance(getattr(hook, "__func__", hook), FunctionType)
        shown = {"__module__": raw_of_class(kind, "__module__"), "__qualname__": kind.__qualname__}
        members = {"__slots__": (), "__hash__": _hash, "__eq__": _eq, **shown}
        try:
            _DERIVED[kind] = type.__new__(type(kind), kind.__name__, (kind,), members) if is_native else None
        except TypeError:
            _DERIVED[kind] = None
    return _DERIVED[kind]


@natively
def run(
    native: Any,
    things: Any,
    key: Any,
    parts: list[Any],
    hashes: Sequence[int | TypeError],
    equal: Any,
    more: tuple[Any, ...],
) -> Any:
    """Call a native method of a container; returns its result, and the keys that the key was compared with.

    `equal` is the only key of the container that is equal to this one, of whose parts the hashes are known.
    """
    kinds = [type(part) for part in parts]
    _KeyFacts.equal, _KeyFacts.compared = equal, []
    for part, number in zip(parts, hashes, strict=True):
        _KeyFacts.hashes[identity(part)] = number
    for part, kind in zip(parts, kinds, strict=True):
        _set_class(part, _derived(kind))
    try:
        return native(things, key, *more), _KeyFacts.compared
    finally:
        for part, kind in zip(parts, kinds, strict=True):
            _set_class(part, kind)


@natively
def parts_of(key: Any) -> list[Any]:
    """Returns the parts of a key that have a `__hash__` of Python: itself, or items of a tuple, and of tuples in it."""
    if type(key) is tuple:
        return [part for each in key for part in parts_of(each)]
    return [key] if is_hashed_by_code(key) else []


def _hash_of(_: Any, key: Any) -> int:
    return hash(key)


@natively
def stand_for(key: Any, parts: list[Any], hashes: list[int]) -> Any:
    """Returns the object to look up for a key: itself, or a stand-in for a tuple."""
    _KeyFacts.hashes = {}
    if type(key) is not tuple:
        return key
    stand = _HashedTuple()
    _KeyFacts.hashes[identity(stand)] = run(_hash_of, None, key, parts, hashes, MISSING, ())[0]
    return stand


@natively
def can_be_derived(key: Any) -> bool:
    """Returns True if the classes of all parts of a key can be exchanged for a moment."""
    return all(map(_can_be_derived, parts_of(key)))


def _can_be_derived(key: Any) -> bool:
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


def looked_up(native: Any, contains: Any, things: Any, key: Any, *more: Any) -> Any:
    """The result of a method of a dictionary or set for a key; `contains` is its `__contains__`."""
    if not can_be_derived(key):
        return call_natively(native, things, key, *more)
    parts = parts_of(key)
    failed: list[TypeError] = []
    try:
        hashes = [hash(part) for part in parts]
    except TypeError as error:
        if not (type(error) is TypeError and NEW_MESSAGES) and not (is_a(key, set) and contains in _OF_SETS):
            raise
        failed = [error] * len(parts)
    if failed:  # the method drops that error: it says for what the key was to be used, or looks for a frozenset
        _KeyFacts.hashes = {}
        return run(native, things, key, parts, failed, MISSING, more)[0]
    return looked_up_by_hashes(native, contains, things, key, parts, hashes, more)


def looked_up_by_hashes(
    native: Any, contains: Any, things: Any, key: Any, parts: list[Any], hashes: list[int], more: Any = ()
) -> Any:
    """As `looked_up`, for a key of whose parts the hashes are known."""
    stand = stand_for(key, parts, hashes)
    _, candidates = run(contains, things, stand, parts, hashes, MISSING, ())
    equal = MISSING
    for candidate in candidates:
        if candidate == key:
            equal = candidate
            break
    if equal is not MISSING:
        key = stand_for(key, parts, hashes)
    result, _ = run(native, things, key, parts, hashes, equal, more)
    return result


def has_plain_key(arguments: Any, keywords: Any) -> bool:
    """Returns True unless the key, the second argument, has a `__hash__` of Python."""
    if len(arguments) < 2:
        return True
    _check_inside(arguments[1])
    return not is_hashed_by_code(arguments[1])


def _check_inside(key: Any) -> None:
    if type(key) is tuple or type(key) is frozenset:
        for each in key:
            _check_inside(each)
            if type(key) is frozenset:
                check_hashed(each)


def check_hashed(key: Any) -> None:
    """Refuse an object that native code would hash by asking for what memory holds."""
    if is_shared_here(key) and is_python(raw_method(key, "__hash__")):
        refuse_here(
            f"native code asks a shared object of class {type(key).__name__} for its __hash__, in a frozen set "
            "that is a key, or in an OrderedDict: use a tuple of what it is made of, or a dict"
        )


@stands_for(type.__subclasses__)
def subclasses(kind: Any, /) -> Any:
    return subclasses_of_users(kind)


@natively
def subclasses_of_users(kind: Any) -> list[type]:
    derived = set(map(id, _DERIVED.values()))
    return [each for each in type.__subclasses__(kind) if id(each) not in derived]


def _method(kind: Any, name: str, natively_if: Condition = has_plain_key) -> None:
    native, contains = vars(kind)[name], kind.__contains__

    @stands_for(native, natively_if=natively_if)
    def model(things: Any, key: Any, /, *more: Any) -> Any:
        return looked_up(native, contains, things, key, *more)


for _name in ("__contains__", "__delitem__", "__setitem__", "get", "setdefault"):
    _method(dict, _name)
_method(dict, "pop", lambda arguments, keywords: has_plain_key(arguments, keywords) or dict.__len__(arguments[0]) == 0)
for _name in ("__delitem__", "__setitem__"):
    _method(OrderedDict, _name)
for _name in ("__contains__", "add", "discard", "remove"):
    _method(set, _name)
_method(frozenset, "__contains__")


@stands_for(OrderedDict.pop, natively_if=has_plain_key)
def pop_ordered(things: Any, key: Any, *more: Any) -> Any:
    return looked_up(OrderedDict.pop, OrderedDict.__contains__, things, key, *more)


@stands_for(OrderedDict.setdefault, natively_if=has_plain_key)
def ordered_default(things: Any, key: Any, default: Any = None) -> Any:
    return looked_up(OrderedDict.setdefault, OrderedDict.__contains__, things, key, default)


@stands_for(OrderedDict.move_to_end, natively_if=has_plain_key)
def move_to_end(things: Any, key: Any, last: Any = True) -> Any:
    return looked_up(OrderedDict.move_to_end, OrderedDict.__contains__, things, key, last)
