"""The code of a litmus thread without its syntax: a small language of loads, stores, updates and fences.

Both dialects, x86 and C, are translated to it, and it to Python. Jumps have become nested `If`s. A value is a
number, or the name of a location: its address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

Value = int | str

OLD = "old"
"""The register that takes what an instruction found in memory, before the instruction uses it."""


# -- expressions -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value


@dataclass(frozen=True, slots=True)
class Register:
    """A register of the running thread; 0 until it is written."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """`operation` is Python's sign for it, or "and" or "or"; those that compare give 0 or 1."""

    operation: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The value cut to `bits` bits, read as two's complement if `signed`. An address stays what it is."""

    expression: Expression
    bits: int
    signed: bool = True


Expression = Constant | Register | Binary | Wrapped

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "and", "or"})


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it."""
    yield expression
    if isinstance(expression, Binary):
        yield from subexpressions(expression.left)
        yield from subexpressions(expression.right)
    elif isinstance(expression, Wrapped):
        yield from subexpressions(expression.expression)


# -- statements ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load:
    register: str
    address: Expression
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Store:
    address: Expression
    value: Expression
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """An rmw: `new` is written if `when` is not zero, then `register` gets the old value.

    In `new` and `when` the register OLD holds the old value. Reports show it as name(arguments).
    """

    register: str
    address: Expression
    new: Expression
    when: Expression | None
    name: str
    arguments: tuple[Expression, ...]
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fence:
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StoreFence:
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    register: str
    value: Expression
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    line: int = field(default=0, compare=False, repr=False)


Statement = Load | Store | Update | Fence | StoreFence | Assign | If
Body = tuple[Statement, ...]


def statements(body: Body) -> Iterator[Statement]:
    """All statements, also those inside of `If`s."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from statements(statement.then)
            yield from statements(statement.otherwise)


def expressions(statement: Statement) -> Iterator[Expression]:
    """The expressions of one statement itself."""
    for name in statement.__slots__:
        value = getattr(statement, name)
        yield from (each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Expression))


def changed(body: Body, change: Callable[[Expression], Expression]) -> Body:
    """The code with each expression changed, also inside of `If`s."""
    return tuple(_changed(statement, change) for statement in body)


def _changed(part: Any, change: Callable[[Expression], Expression]) -> Any:
    if isinstance(part, Expression):
        return change(part)
    if isinstance(part, tuple):
        return tuple(_changed(each, change) for each in part)
    if isinstance(part, Statement):
        return replace(part, **{name: _changed(getattr(part, name), change) for name in part.__slots__})
    return part


def registers_in(expression: Expression) -> set[str]:
    """The names of the registers that an expression reads."""
    return {part.name for part in subexpressions(expression) if isinstance(part, Register)}


def registers_read(body: Body) -> set[str]:
    """The names of the registers that some expression of `body` reads."""
    found = (registers_in(expression) for statement in statements(body) for expression in expressions(statement))
    return set().union(*found)
