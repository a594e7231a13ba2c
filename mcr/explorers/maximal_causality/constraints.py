"""Constraints over order variables, small enough to be printed and read ([huang-2016] 2.3).

Every event e of a trace has one order variable O_e: the moment at which it
executes or, if it is a plain store, commits to memory. An event *happens* if
it belongs to the prefix that the constraints describe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

EventId = int


@dataclass(frozen=True, slots=True)
class Before:
    """O_first < O_second."""

    first: EventId
    second: EventId


@dataclass(frozen=True, slots=True)
class Happens:
    """The event belongs to the prefix."""

    event: EventId


@dataclass(frozen=True, slots=True)
class Absent:
    """The event does not belong to the prefix; it may be thought of as coming after all of it."""

    event: EventId


@dataclass(frozen=True, slots=True)
class And:
    """All parts; true without any."""

    parts: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part; false without any."""

    parts: tuple[Constraint, ...]


Constraint = Before | Happens | Absent | And | Or


def all_of(parts: Iterable[Constraint]) -> And:
    return And(tuple(parts))


def any_of(parts: Iterable[Constraint]) -> Constraint:
    """The disjunction, without parts that are never true; true if a part always is."""
    found = tuple(part for part in parts if part != Or(()))
    return And(()) if And(()) in found else Or(found)


Namer = Callable[[EventId], str]


def show(constraint: Constraint, name: Namer = str) -> str:
    """The constraint as the paper writes it, e.g. "O3 < O2 and (O1 < O3 or O2 < O1)"."""
    match constraint:
        case Before(first, second):
            return f"O{name(first)} < O{name(second)}"
        case Happens(event):
            return f"e{name(event)}"
        case Absent(event):
            return f"not e{name(event)}"
        case And(parts):
            return _joined(parts, " and ", "true", name)
        case Or(parts):
            return _joined(parts, " or ", "false", name)


def _joined(parts: tuple[Constraint, ...], sign: str, empty: str, name: Namer) -> str:
    """The parts with a sign between them; parts that have a sign of their own get brackets."""
    if len(parts) == 1:
        return show(parts[0], name)
    texts = (show(part, name) for part in parts)
    return sign.join(f"({text})" if " and " in text or " or " in text else text for text in texts) or empty
