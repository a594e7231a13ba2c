"""The values that memory holds: hashable Python objects, interned to small integers.

Engine, machine and solver speak of *value ids*: two stores write the same
value iff they write the same id. Python calls 1, 1.0 and True equal, and so
are 0.0 and -0.0; a model that stores one and tests for the other by type
would be nondeterministic if they shared an id, so the key carries the type.
"""

from __future__ import annotations

from collections.abc import Hashable

from replay.errors import ModelError

ValueId = int


def canonical_key(value: object) -> Hashable:
    """A hashable key, equal for exactly the values that memory may not tell apart.

    Raises ModelError for values that are unhashable or unequal to themselves.
    """
    kind = type(value)
    if kind is int or kind is str or value is None:
        return (kind, value)
    if kind is float:
        if value != value:
            raise ModelError("NaN cannot be stored: it is not equal to itself")
        return (kind, float(value).hex())  # type: ignore[arg-type]
    if kind is tuple:
        return (kind, tuple(map(canonical_key, value)))  # type: ignore[call-overload]
    if kind is frozenset:
        return (kind, frozenset(map(canonical_key, value)))  # type: ignore[call-overload]
    try:
        hash(value)
    except TypeError:
        raise ModelError(
            f"a value of type {kind.__name__!r} cannot be stored: it is not hashable "
            "(use a tuple, a frozenset or a record)"
        ) from None
    if not value == value:
        raise ModelError(f"a value of type {kind.__name__!r} cannot be stored: it is not equal to itself")
    return (kind, value)


class ValueTable:
    """Interns values; ids count from 0 in the order of first use."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, ValueId] = {}
        self._values: list[object] = []

    def intern(self, value: object) -> ValueId:
        key = canonical_key(value)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self._values)
            self._values.append(value)
        return found

    def __getitem__(self, value_id: ValueId) -> object:
        return self._values[value_id]

    def __len__(self) -> int:
        return len(self._values)
