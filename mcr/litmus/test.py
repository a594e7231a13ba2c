"""A litmus test as data, whatever it was written in."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcr.litmus.code import Body, Constant, Value, expressions, statements, subexpressions
from mcr.litmus.condition import Column, Condition, MemoryColumn, Proposition, RegisterColumn, columns_of

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
    condition: Condition
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
