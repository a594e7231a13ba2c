"""The values that memory holds: hashable Python objects, interned to small integers.

Engine, machine and solver speak of *value ids*: two stores write the same
value iff they write the same id. Python calls 1, 1.0 and True equal, and a
class may call equal what it likes: objects that differ in a field that is not
compared. Whoever loads a value could tell, so two values share an id only if
nothing but their identity differs: their exact types and all that they hold,
at every depth (`replay.world.anatomy`). The equality of users decides nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from re import Pattern
from types import BuiltinFunctionType, CodeType, MethodType
from typing import Any

from replay.errors import ModelError
from replay.world.anatomy import IMMUTABLE, parts_of
from replay.world.shown import shown_error
from replay.world.terms import Symbol, Term

ValueId = int

_SIMPLE = (int, str, bool, type(None))
"""Types whose own equality is ours."""

_ATOMS = (bool, bytes, CodeType, Pattern, BuiltinFunctionType, MethodType)
"""More of these, of which values are rarely made."""


class NoValue:
    """The base of what describes something shared: Python can hash it, and memory cannot hold it, unless `is_value`."""

    __slots__ = ()
    is_value = False
    runs: tuple[Callable[[], object], ...] = ()
    """Functions of the user that it calls."""

    def why_no_value(self) -> str:
        """The sentence that refuses it."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Case(Symbol):
    """A result of an operation, on the paths on which the thread decides like this before it asks for the next.

    value      what it is given
    decisions  terms, and what each is decided to be
    """

    value: object
    decisions: tuple[tuple[Term, object], ...]

    @property
    def canonical(self) -> Hashable:
        return canonical_key(self.value), self.decisions


def canonical_key(value: object) -> Hashable:
    """A hashable key, equal for exactly the values that memory may not tell apart.

    Raises ModelError for values that are unhashable, unequal to themselves or nested too deeply.
    """
    kind = type(value)
    if kind is int or kind is str or value is None:
        return (kind, value)
    try:
        return _key(value)
    except RecursionError:
        raise ModelError(f"a value of type {kind.__name__!r} cannot be stored: it is nested too deeply") from None


def _key(value: object) -> Hashable:
    kind = type(value)
    if kind is int or kind is str or value is None:
        return (kind, value)
    if kind is float or kind is complex:
        if value != value:
            raise ModelError("NaN cannot be stored: it is not equal to itself")
        return (kind, *IMMUTABLE[kind](value))
    if kind is tuple:
        return (kind, tuple(map(_key, value)))  # type: ignore[call-overload]
    if issubclass(kind, Symbol):
        return (kind, value.canonical)  # type: ignore[attr-defined]
    if isinstance(value, NoValue) and not value.is_value:
        raise ModelError(value.why_no_value())
    if issubclass(kind, tuple) and _is_ours(kind):
        return kind, *_held(value)  # type: ignore[arg-type]
    _check_hash(value)
    _check_equality(value)
    if kind in _ATOMS or kind.__eq__ is object.__eq__ or isinstance(value, type) or _is_ours(kind):
        return (kind, value)
    if isinstance(value, enum.Enum):
        return (kind, value._name_, _key_of_part(value._value_))
    if kind is frozenset:
        return (kind, *_members(value))  # type: ignore[arg-type]
    parts = parts_of(value)
    if parts is None:
        raise ModelError(
            f"a value of type {kind.__name__!r} cannot be stored: what tells one from another is not known (use a "
            "number, a text, a tuple of such, or a frozen data class)"
        )
    return (kind, tuple(map(_key_of_part, parts)))


def _key_of_part(part: Any) -> Hashable:
    """As `_key`, for what a hashable object has inside: lists, dictionaries and sets that no code changes any more."""
    kind = type(part)
    if kind is list:
        return (kind, tuple(map(_key_of_part, part)))
    if kind is dict:
        return (kind, tuple((_key(key), _key_of_part(held)) for key, held in part.items()))
    if kind is set:
        return (kind, *_members(part))
    return _key(part)


_NEVER_EQUAL = frozenset({int, str, bytes, type(None)})
"""Classes of which no object is equal to one of another of them, as 1 is to True and 1.0."""


def _held(content: tuple[object, ...]) -> tuple[Hashable, ...]:
    """Returns the keys of what a container holds; a number that is not equal to itself is known by its identity."""
    if _NEVER_EQUAL.issuperset(map(type, content)):
        return content
    return tuple((float, id(each)) if type(each) is float and each != each else _key(each) for each in content)


def _members(value: set[Any] | frozenset[Any]) -> tuple[Hashable, ...]:
    """The members of a set: in their order, and with what decides on that of sets made from it, if these are the same
    in every run of Python; hashes of texts are not."""
    keys = tuple(map(_key, value))
    return (keys, value.__sizeof__()) if all(map(_has_steady_hash, value)) else (frozenset(keys),)


def _has_steady_hash(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_has_steady_hash, value))
    return type(value) in (int, bool, float, complex)


def _is_ours(kind: type) -> bool:
    """Returns whether it is a class of this package, whose own equality counts in memory."""
    return kind.__module__.startswith("replay.")


def _check_hash(value: object) -> None:
    kind = type(value).__name__
    try:
        steady = hash(value) == hash(value)
    except (RecursionError, KeyboardInterrupt):
        raise
    except TypeError:
        raise ModelError(
            f"a value of type {kind!r} cannot be stored: it is not hashable (use a tuple, a frozenset or a record)"
        ) from None
    except BaseException as error:
        raise _refused(kind, "__hash__", error) from None
    if not steady:
        raise ModelError(f"a value of type {kind!r} cannot be stored: its __hash__ is not the same twice")


def _check_equality(value: object) -> None:
    kind = type(value).__name__
    try:
        equal = bool(value == value)
    except (RecursionError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _refused(kind, "__eq__", error) from None
    if not equal:
        raise ModelError(f"a value of type {kind!r} cannot be stored: it is not equal to itself")


def _refused(kind: str, method: str, error: BaseException) -> ModelError:
    what = f"{type(error).__name__}: {shown_error(error)}"
    return ModelError(f"a value of type {kind!r} cannot be stored: its {method} raises {what}")


def same(one: object, two: object) -> bool:
    """Returns whether memory holds two values as one. Raises ModelError for what it cannot hold."""
    kind = type(one)
    if one is two or kind is not type(two):
        return one is two
    if kind in _SIMPLE:
        return one == two
    try:
        return canonical_key(one) == canonical_key(two)
    except (ModelError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _refused(kind.__name__, "__eq__", error) from None


def _has_key(value: object, key: Hashable) -> bool:
    try:
        return canonical_key(value) == key
    except ModelError:
        return False


class ValueTable:
    """Interns values; ids count from 0 in the order of first use."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, ValueId] = {}
        self._values: list[object] = []

    def intern(self, value: object) -> ValueId:
        """The id of a value. Raises ModelError for one that memory cannot hold."""
        key = canonical_key(value)
        try:
            found = self._ids.get(key)
            if found is None:
                found = self._ids[key] = len(self._values)
                self._values.append(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _refused(type(value).__name__, "__eq__", error) from None
        return found

    def changed(self) -> tuple[object, ...]:
        """The values that user code has changed since they came here."""
        return tuple(value for key, value in zip(self._ids, self._values, strict=True) if not _has_key(value, key))

    def __getitem__(self, value_id: ValueId) -> object:
        return self._values[value_id]

    def __len__(self) -> int:
        return len(self._values)
