"""Simplifies translated code, so that it reads well and runs fast. No step changes what a test can do.

* Flags that nobody reads are not computed.
* Cutting values to a size is dropped when no value of the test can outgrow it.
* "old = load; register = old" becomes one load.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcr.litmus.code import (
    COMPARISONS,
    OLD,
    Assign,
    Binary,
    Body,
    Constant,
    Expression,
    If,
    Load,
    Register,
    Statement,
    Update,
    Value,
    Wrapped,
    changed,
    expressions,
    registers_read,
    statements,
    subexpressions,
)

_SAFE = 127
"""The largest value of the smallest signed size, a byte."""

_BITWISE = frozenset({"&", "|", "^"})


def without_assignments(body: Body, registers: Iterable[str]) -> Body:
    """The code without assignments to those of `registers` that no expression reads."""
    unread = set(registers) - registers_read(body)
    return _filter(body, unread) if unread else body


def _filter(body: Body, unread: set[str]) -> Body:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, If):
            statement = replace(
                statement, then=_filter(statement.then, unread), otherwise=_filter(statement.otherwise, unread)
            )
        if not (isinstance(statement, Assign) and statement.register in unread):
            kept.append(statement)
    return tuple(kept)


# -- sizes --------------------------------------------------------------------------


def values_stay_small(bodies: Iterable[Body], initial: Iterable[Value]) -> bool:
    """Returns whether every value of a test fits every size, so that nothing is ever cut.

    Each addition runs at most once and at most doubles the largest value; and, or
    and exclusive or stay below the next power of two; anything else is not small.
    """
    largest = 1
    additions = 0
    constants: list[Value] = list(initial)
    for body in bodies:
        for statement in statements(body):
            for expression in expressions(statement):
                for part in subexpressions(expression):
                    if isinstance(part, Constant):
                        constants.append(part.value)
                    elif isinstance(part, Binary) and part.operation not in COMPARISONS:
                        if part.operation != "+" and part.operation not in _BITWISE:
                            return False
                        additions += 1
    for value in constants:
        if isinstance(value, int):
            if value < 0:
                return False
            largest = max(largest, value)
    return largest << (additions + 1) <= _SAFE


def without_sizes(body: Body) -> Body:
    """The code with every `Wrapped` taken off."""
    return changed(body, _unwrapped)


def _unwrapped(expression: Expression) -> Expression:
    match expression:
        case Wrapped(inner):
            return _unwrapped(inner)
        case Binary(operation, left, right):
            return Binary(operation, _unwrapped(left), _unwrapped(right))
        case _:
            return expression


# -- fusing ---------------------------------------------------------------------------


def fused(body: Body) -> Body:
    """The code with "OLD = load; register = OLD" made one, where OLD is not read again."""
    found: list[Statement] = []
    place = 0
    while place < len(body):
        statement = body[place]
        if isinstance(statement, If):
            statement = replace(statement, then=fused(statement.then), otherwise=fused(statement.otherwise))
        register = _taken_by(body, place)
        if register is not None:
            assert isinstance(statement, Load | Update)
            statement = replace(statement, register=register)
            place += 1
        found.append(statement)
        place += 1
    return tuple(found)


def _taken_by(body: Body, place: int) -> str | None:
    """The register that takes what the statement at `place` leaves in OLD, if that is its only reader."""
    statement = body[place]
    if not isinstance(statement, Load | Update) or statement.register != OLD or place + 1 == len(body):
        return None
    following = body[place + 1]
    if not isinstance(following, Assign) or following.value != Register(OLD):
        return None
    return None if _old_is_read(body[place + 2 :]) else following.register


def _old_is_read(body: Body) -> bool:
    """Returns whether OLD is read before it is written again."""
    for statement in body:
        if isinstance(statement, Load | Update | Assign) and statement.register == OLD:
            return isinstance(statement, Assign) and OLD in registers_read((statement,))
        if OLD in registers_read((statement,)):
            return True
    return False
