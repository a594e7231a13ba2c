"""A litmus test as data, whatever it was written in: its threads, and what it claims of final states."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mcr.litmus.code import Body, Constant, Value, expressions, statements, subexpressions


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
    """The claim about states that satisfy the proposition; `kind` is herd's word for the test."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"

    @property
    def kind(self) -> str:
        return {"exists": "Allowed", "~exists": "Forbidden", "forall": "Required"}[self.value]

    def holds(self, positive: int, negative: int) -> bool:
        """Returns whether the claim is true of so many states with, and so many without the proposition."""
        match self:
            case Quantifier.EXISTS:
                return positive > 0
            case Quantifier.NOT_EXISTS:
                return positive == 0
            case Quantifier.FORALL:
                return negative == 0


@dataclass(frozen=True)
class LitmusCondition:
    """The last line of a test."""

    quantifier: Quantifier = Quantifier.FORALL
    proposition: Proposition = TRUE

    def __str__(self) -> str:
        return f"{self.quantifier.value} ({self.proposition})"


_REGISTER_ORDER = ("eax", "ebx", "ecx", "edx", "rax", "rbx", "rcx", "rdx")


@dataclass(frozen=True)
class LitmusThread:
    """One thread: its name in the test, its code, and what its registers hold at first (0 unless said)."""

    name: str
    body: Body
    registers: dict[str, Value] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True)
class LitmusTest:
    """A litmus test.

    architecture  "X86", "X86_64" or "C"
    initial       what locations hold at first; 0 unless said
    unsigned      bits of the columns that were declared unsigned
    extra         columns to show beside those of the condition (`locations [...]`)
    filter        states that do not satisfy it are left out
    """

    name: str
    architecture: str
    threads: tuple[LitmusThread, ...]
    condition: LitmusCondition
    initial: dict[str, Value] = field(default_factory=dict)
    unsigned: dict[Column, int] = field(default_factory=dict)
    extra: tuple[Column, ...] = ()
    filter: Proposition | None = None
    document: str = ""
    file: str = ""
    line: int = 1
    condition_line: int = 1

    @functools.cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a final state: registers by thread, then locations by name."""
        return _sorted({*columns_of(self.condition.proposition), *self.extra})

    @functools.cached_property
    def all_columns(self) -> tuple[Column, ...]:
        """The columns of a final state and of the filter."""
        return _sorted({*self.columns, *(columns_of(self.filter) if self.filter else ())})

    @functools.cached_property
    def locations(self) -> tuple[str, ...]:
        """Every location that the test speaks of, sorted."""
        return tuple(sorted(set(self._locations())))

    def registers(self, thread: int) -> tuple[str, ...]:
        """The registers of a thread that final states speak of, in the order of the columns."""
        return tuple(
            column.register
            for column in self.all_columns
            if isinstance(column, RegisterColumn) and column.thread == thread
        )

    def _locations(self) -> Iterator[str]:
        yield from self.initial
        values: list[object] = [*self.initial.values()]
        for column in self.all_columns:
            if isinstance(column, MemoryColumn):
                yield column.location
        for thread in self.threads:
            values.extend(thread.registers.values())
            for statement in statements(thread.body):
                for expression in expressions(statement):
                    values.extend(part.value for part in subexpressions(expression) if isinstance(part, Constant))
        yield from (value for value in values if isinstance(value, str))


def _sorted(columns: set[Column]) -> tuple[Column, ...]:
    return tuple(sorted(columns, key=_place))


def _place(column: Column) -> tuple[object, ...]:
    if isinstance(column, MemoryColumn):
        return (1, column.location)
    name = column.register.lower()
    order = _REGISTER_ORDER.index(name) if name in _REGISTER_ORDER else len(_REGISTER_ORDER)
    return (0, column.thread, order, len(name), name)
