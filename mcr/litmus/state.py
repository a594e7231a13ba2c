"""Reads initial states and claims: the parts of the format that all dialects share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lark import Token, Tree

from mcr.litmus.code import Value
from mcr.litmus.errors import LineError
from mcr.litmus.syntax import Node, as_number, line_at, parsed
from mcr.litmus.test import (
    TRUE,
    And,
    Column,
    Equals,
    Implies,
    LitmusCondition,
    MemoryColumn,
    Not,
    Or,
    Proposition,
    Quantifier,
    RegisterColumn,
)
from mcr.litmus.types import IntegerType, integer_type

Naming = Callable[[str, int], str]
"""The canonical name of a register of the dialect; raises LineError (with the line given) for any other word."""

_THREAD = re.compile(r"P?(\d+)")


@dataclass
class InitialState:
    """The declarations in braces: values by column, and the types that were written out."""

    values: dict[Column, Value] = field(default_factory=dict)
    types: dict[Column, IntegerType] = field(default_factory=dict)

    def registers(self, thread: int) -> dict[str, Value]:
        """Returns the initial values of a thread's registers."""
        return {
            column.register: value
            for column, value in self.values.items()
            if isinstance(column, RegisterColumn) and column.thread == thread
        }


@dataclass(frozen=True)
class LitmusClaim:
    """The claim at the end of the file."""

    condition: LitmusCondition
    extra: tuple[Column, ...] = ()
    filter: Proposition | None = None
    line: int = 1


def parse_initial(section: str, register: Naming) -> InitialState:
    """The initial state; `register` names the registers of the dialect."""
    state = InitialState()
    for declaration in parsed("initial", section).children:
        *words, place, written = declaration.children
        line = place.meta.line
        column = _column(place, register)
        value = 0 if written is None else _value(written)
        if state.values.setdefault(column, value) != value:
            raise LineError(f"{column} is given two initial values", line)
        if words and "*" not in words:
            state.types[column] = integer_type(words, line)
    return state


def parse_claim(section: str, register: Naming) -> LitmusClaim:
    """`locations`, `filter` and the condition. No condition at all means `forall (true)`, as in herd."""
    locations, kept, condition = parsed("claim", section).children
    trees = [] if locations is None else [child for child in locations.children if isinstance(child, Tree)]
    return LitmusClaim(
        LitmusCondition() if condition is None else _condition(condition, register),
        tuple(_column(tree, register) for tree in trees),
        None if kept is None else _proposition(kept.children[0], register),
        line_at(section) if condition is None else condition.meta.line,
    )


def _condition(tree: Node, register: Naming) -> LitmusCondition:
    first, proposition = tree.children
    quantifier = Quantifier.NOT_EXISTS if first[0] in "~n" else Quantifier.EXISTS
    return LitmusCondition(Quantifier.FORALL if first == "forall" else quantifier, _proposition(proposition, register))


def _proposition(tree: Node, register: Naming) -> Proposition:
    def inner(part: Node) -> Proposition:
        return _proposition(part, register)

    match tree.data, tree.children:
        case "or", parts:
            return Or(tuple(map(inner, parts)))
        case "and", parts:
            return And(tuple(map(inner, parts)))
        case "implies", [left, right]:
            return Implies(inner(left), inner(right))
        case "not", [part]:
            return Not(inner(part))
        case "true", _:
            return TRUE
        case "false", _:
            return Or()
    place, right = tree.children
    value = _value(right) if right.data == "value" else _column(right, register)
    equals = Equals(_column(place, register), value)
    return equals if tree.data == "equals" else Not(equals)


def _column(tree: Node, register: Naming) -> Column:
    """`x`, `[x]`, `0:EAX` or `P0:EAX`."""
    match tree.data, tree.children:
        case "location", [name]:
            return MemoryColumn(str(name))
        case "register", [thread, name] if number := _THREAD.fullmatch(thread):
            return RegisterColumn(int(number[1]), register(str(name), name.line))
        case "register", [word, _]:
            raise LineError(f"expected a thread, found '{word}'", word.line)
    raise LineError("arrays are not supported", tree.meta.line)


def _value(tree: Node) -> Value:
    """A number, or the address of a location."""
    match tree.children:
        case [Tree() as inner]:
            return _value(inner)
        case [Token(type="NAME") as name]:
            return str(name)
    return as_number("".join(tree.children))
