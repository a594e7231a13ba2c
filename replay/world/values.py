"""The values that memory holds: hashable Python objects, interned to small integers.

Engine, machine and solver speak of *value ids*: two stores write the same
value iff they write the same id. Python calls 1, 1.0 and True equal, and so
are 0.0 and -0.0; a model that stores one and tests for the other by type
would be nondeterministic if they shared an id, so the key carries the type,
at every depth: of items of tuples and of fields of data classes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields, is_dataclass

from replay.errors import ModelError
from replay.world.shown import shown_error
from replay.world.terms import Symbol, Term

ValueId = int

_SIMPLE = (int, str, bool, type(None))
"""Types whose own equality is ours."""


class NoValue:
    """What stands for something else, and is no value itself though Python can hash it, unless `is_value`."""

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
    if kind is float:
        if value != value:
            raise ModelError("NaN cannot be stored: it is not equal to itself")
        return (kind, float(value).hex())  # type: ignore[arg-type]
    if kind is tuple:
        return (kind, tuple(map(_key, value)))  # type: ignore[call-overload]
    if kind is frozenset:
        return (kind, frozenset(map(_key, value)))  # type: ignore[call-overload]
    if issubclass(kind, Symbol):
        return (kind, value.canonical)  # type: ignore[attr-defined]
    if isinstance(value, NoValue) and not value.is_value:
        raise ModelError(value.why_no_value())
    _check_hash(value)
    _check_equality(value)
    parts = _parts(value)
    return (kind, value if parts is None else tuple(map(_key, parts)))


def _parts(value: object) -> Iterable[object] | None:
    """What tells a value from others of its type, where its own equality looks at that and is blind to types.

    None for a value whose equality is a law of its own.
    """
    kind = type(value)
    if isinstance(value, tuple) and kind.__eq__ is tuple.__eq__:
        return value
    if isinstance(value, complex):
        return value.real, value.imag
    if isinstance(value, range):
        return value.start, value.stop, value.step
    if is_dataclass(value) and _is_made_by_dataclass(kind.__eq__):
        return (getattr(value, field.name) for field in fields(value) if field.compare)
    return None


def _is_made_by_dataclass(function: object) -> bool:
    """Whether no file has the code of a method of a data class."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == "<string>"


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
    """Whether memory holds two values as one. Raises ModelError for what it cannot hold."""
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

    def __getitem__(self, value_id: ValueId) -> object:
        return self._values[value_id]

    def __len__(self) -> int:
        return len(self._values)
