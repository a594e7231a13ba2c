"""What a final function returns, for readers: an outcome tells what containers hold, and not which ones they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.frontend.ordinary.changes import is_shared_container, looked_at
from replay.frontend.ordinary.contents import base_of, taken
from replay.frontend.ordinary.kinds import identity_of


def outcome(value: Any, freeze: Callable[[Any], Any], around: frozenset[object] = frozenset()) -> Any:
    """The value with containers by what they hold now, which takes a load of each, and all else as `freeze` has it.

    `around` are the containers that it is in: one that holds itself is named there.
    """
    known: object = identity_of(value).reference if is_shared_container(value) else id(value)
    if known in around:
        return freeze(value)
    if is_shared_container(value):
        return _inside(looked_at(value), freeze, around | {known})
    return _inside(value, freeze, around | {known})


def _inside(value: Any, freeze: Callable[[Any], Any], around: frozenset[object]) -> Any:
    kind = type(value)

    def part(held: Any, _: str = "") -> Any:
        return outcome(held, freeze, around)

    if isinstance(value, tuple):
        return tuple.__new__(kind, map(part, value))
    if kind is frozenset:
        return frozenset(map(part, value))
    base = base_of(kind)
    return freeze(value) if base is None else taken(base, value, part)
