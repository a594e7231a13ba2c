"""Final states and what a test claims about them, in herd's notation."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mcr.litmus.code import Value


class RegisterColumn(NamedTuple):
    """A register of a thread at its end."""

    thread: int
    register: str

    def __str__(self) -> str:
        return f"{self.thread}:{self.register}"


class MemoryColumn(NamedTuple):
    """A location at the end of all threads."""

    location: str

    def __str__(self) -> str:
        return f"[{self.location}]"


Column = RegisterColumn | MemoryColumn
State = Mapping[Column, Value]


@dataclass(frozen=True, slots=True)
class Equals:
    """A column holds a value, or the same as another column."""

    column: Column
    value: Value | Column

    def holds(self, state: State) -> bool:
        value = self.value
        return state[self.column] == (state[value] if isinstance(value, tuple) else value)

    def __str__(self) -> str:
        return f"{self.column}={self.value}"


@dataclass(frozen=True, slots=True)
class Not:
    inner: Proposition

    def holds(self, state: State) -> bool:
        return not self.inner.holds(state)

    def __str__(self) -> str:
        return f"not ({self.inner})"


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; without parts: true."""

    parts: tuple[Proposition, ...] = ()

    def holds(self, state: State) -> bool:
        return all(part.holds(state) for part in self.parts)

    def __str__(self) -> str:
        return " /\\ ".join(_inside(part, Or, Implies) for part in self.parts) or "true"


@dataclass(frozen=True, slots=True)
class Or:
    """Some part holds; without parts: false."""

    parts: tuple[Proposition, ...] = ()

    def holds(self, state: State) -> bool:
        return any(part.holds(state) for part in self.parts)

    def __str__(self) -> str:
        return " \\/ ".join(_inside(part, Implies) for part in self.parts) or "false"


@dataclass(frozen=True, slots=True)
class Implies:
    left: Proposition
    right: Proposition

    def holds(self, state: State) -> bool:
        return not self.left.holds(state) or self.right.holds(state)

    def __str__(self) -> str:
        return f"{_inside(self.left, And, Or, Implies)} => {_inside(self.right, And, Or, Implies)}"


Proposition = Equals | Not | And | Or | Implies

TRUE = And()


def _inside(part: Proposition, *looser: type) -> str:
    return f"({part})" if isinstance(part, looser) else str(part)


def columns_of(proposition: Proposition) -> Iterator[Column]:
    """The columns that a proposition speaks of."""
    match proposition:
        case Equals(column, value):
            yield column
            if isinstance(value, tuple):
                yield value
        case Not(inner):
            yield from columns_of(inner)
        case And(parts) | Or(parts):
            for part in parts:
                yield from columns_of(part)
        case Implies(left, right):
            yield from columns_of(left)
            yield from columns_of(right)


class Quantifier(enum.Enum):
    """What is claimed of the states that satisfy the proposition; `kind` is herd's word for the test."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"

    @property
    def kind(self) -> str:
        return {"exists": "Allowed", "~exists": "Forbidden", "forall": "Required"}[self.value]

    def holds(self, positive: int, negative: int) -> bool:
        """Whether the claim is true of so many states with, and so many without the proposition."""
        match self:
            case Quantifier.EXISTS:
                return positive > 0
            case Quantifier.NOT_EXISTS:
                return positive == 0
            case Quantifier.FORALL:
                return negative == 0


@dataclass(frozen=True)
class Condition:
    """The last line of a test."""

    quantifier: Quantifier = Quantifier.FORALL
    proposition: Proposition = TRUE

    def __str__(self) -> str:
        return f"{self.quantifier.value} ({self.proposition})"
