"""Registries of productions: functions that write one kind of expression or statement."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from tests.interpreter.writer import Writer

T = TypeVar("T", str, None)
Production = Callable[["Writer"], T]
Condition = Callable[["Writer"], bool]

NUMBER, TEXT, LIST, DICT, ITERABLE, FUNCTION, ANY = "number", "text", "list", "dict", "iterable", "function", "any"


def always(_: Writer) -> bool:
    return True


class Choice(Generic[T]):
    """Productions of one kind, each with a weight and a condition on where it may stand."""

    def __init__(self) -> None:
        self._productions: list[Production[T]] = []
        self._conditions: list[Condition] = []
        self._totals: list[int] = []

    def add(self, weight: int, when: Condition = always) -> Callable[[Production[T]], Production[T]]:
        """Registers the decorated function."""

        def register(production: Production[T]) -> Production[T]:
            self._productions.append(production)
            self._conditions.append(when)
            self._totals.append(weight + (self._totals[-1] if self._totals else 0))
            return production

        return register

    def __call__(self, writer: Writer) -> T:
        """Writes with a production whose condition holds; at least one registered production has none."""
        while True:
            number = bisect(self._totals, writer.random.random() * self._totals[-1])
            if self._conditions[number](writer):
                return self._productions[number](writer)


EXPRESSIONS: dict[str, Choice[str]] = {kind: Choice() for kind in (NUMBER, TEXT, LIST, DICT, ITERABLE, FUNCTION, ANY)}
"""Expressions with parts of their own, by the kind of their value."""

ATOMS: dict[str, Choice[str]] = {kind: Choice() for kind in EXPRESSIONS}
"""Names and constants, by kind."""

SIMPLE: Choice[None] = Choice()
"""Statements of one line."""

COMPOUND: Choice[None] = Choice()
"""Statements with blocks."""


def since(*version: int) -> Condition:
    """Holds on this version of Python and later ones."""
    return lambda writer: writer.version >= version


def in_scope(*kinds: str) -> Condition:
    """Holds directly in a scope of one of these kinds."""
    return lambda writer: writer.scope.kind in kinds


def knows(kind: str) -> Condition:
    """Holds where a name of this kind can be read."""
    return lambda writer: bool(writer.named(kind))


def every(*conditions: Condition) -> Condition:
    return lambda writer: all(condition(writer) for condition in conditions)
