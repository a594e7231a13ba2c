"""Outcomes of the final function: containers are told by what they hold then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from replay.frontend.ordinary.changes import is_shared_container, looked_at
from replay.frontend.ordinary.contents import base_of, taken
from replay.frontend.ordinary.kinds import identity_of
from replay.frontend.ordinary.values import Reference
from replay.frontend.ownership.classes import is_made_class


def outcome(value: Any, freeze: Callable[[Any], Any]) -> Any:
    """The value with containers by what they hold now, which takes a load of each, and all else as `freeze` has it."""
    copies: dict[Reference, Any] = {}
    seen: list[Any] = []
    todo = [value]
    while todo:  # all loads are here, where keys of local states see what is known so far
        each = todo.pop(0)
        if is_shared_container(each):
            reference = identity_of(each).reference
            if reference not in copies:
                copies[reference] = looked_at(each)
                todo.append(copies[reference])
        elif not _is_among(each, seen):
            seen.append(each)
            todo.extend(_parts(each))
    return _told(value, copies, freeze, frozenset())


def _is_among(thing: Any, things: Iterable[Any]) -> bool:
    return any(thing is other for other in things)


def _parts(value: Any) -> list[Any]:
    base = base_of(type(value))
    if base is not None and issubclass(base, dict):
        return [*value, *value.values()]
    return list(value) if base is not None or isinstance(value, tuple | frozenset) else []


def _told(value: Any, copies: dict[Reference, Any], freeze: Callable[[Any], Any], around: frozenset[object]) -> Any:
    """`around` are the containers that it is in: one that holds itself is named there."""
    known: object = identity_of(value).reference if is_shared_container(value) else id(value)
    if known in around:
        return freeze(value)
    held = copies[known] if isinstance(known, Reference) else value
    kind = type(held)

    def part(each: Any, _: str = "") -> Any:
        return _told(each, copies, freeze, around | {known})

    if isinstance(held, tuple) and not is_made_class(kind):
        return tuple.__new__(kind, map(part, held))
    if kind is frozenset:
        return frozenset(map(part, held))
    base = base_of(kind)
    return freeze(held) if base is None else taken(base, held, part)
