"""Terms: numbers and truths that are not known yet, as expressions over what operations read.

A term is a variable, or an operator on terms and on constants. Equal terms of
one table are one object, so that whoever asks twice asks for the same thing.
What can be computed is computed at once: a term has a variable in it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Part = Any
"""A term, or a constant of Python: a whole number where a number is meant, a bool where a truth is."""


class Term:
    """One node. `op` is one of `NUMBERS` or `TRUTHS`; `parts` are its operands.

    A variable has its name for the only part. An input has its name, and the least and the largest value that it may
    have. `is_truth`: it is true or false, and no number.
    """

    __slots__ = ("is_truth", "op", "parts")

    def __init__(self, op: str, parts: tuple[Part, ...]) -> None:
        self.op = op
        self.parts = parts
        self.is_truth = op in TRUTHS

    def __repr__(self) -> str:
        return text(self)


class Symbol:
    """A stand-in for a value that is not known yet. Two are the same if their terms are.

    It answers comparisons and `hash` with more of its kind, or by splitting the path of the thread that asks, so
    nobody but thread code may ask.
    """

    __slots__ = ()
    term: Term

    @property
    def canonical(self) -> Hashable:
        """The key that tells it from others."""
        return self.term


def floor_divided(one: int, other: int) -> int:
    """Division as Python has it; 0 where it has none: code that divides has decided before whether the divisor is 0."""
    return one // other if other else 0


def remainder(one: int, other: int) -> int:
    """The remainder as Python has it; 0 where it has none."""
    return one % other if other else 0


def _shifted(one: int, other: int) -> int:
    return one << other if other >= 0 else one >> -other


NUMBERS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": floor_divided,
    "%": remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _shifted,
    "if": lambda condition, one, other: one if condition else other,
}
"""Operators that make a number, and what they mean. A shift by less than 0 goes the other way."""

TRUTHS: dict[str, Callable[..., Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "not": operator.not_,
    "and": lambda one, other: one and other,
    "or": lambda one, other: one or other,
    "xor": operator.xor,
}
"""Operators that make a truth."""

VARIABLE, INPUT = "variable", "input"

_MEANING = {**NUMBERS, **TRUTHS}

Table = dict[tuple[object, ...], Term]
"""Terms that are known. They keep each other alive."""

_tables: list[Table] = [{}]


@contextmanager
def known_terms(table: Table) -> Iterator[None]:
    """Terms that are made meanwhile are those of a table, which grows."""
    _tables.append(table)
    try:
        yield
    finally:
        _tables.pop()


def _made(op: str, *parts: Part) -> Term:
    table = _tables[-1]
    key = (op, *[id(part) if type(part) is Term else (type(part), part) for part in parts])
    found = table.get(key)
    if found is None:
        found = table[key] = Term(op, parts)
    return found


def variable(name: str) -> Term:
    """The number that has this name."""
    return _made(VARIABLE, name)


def given(name: str, low: int, high: int) -> Term:
    """An input: the number that has this name, and lies between two bounds, both included."""
    return _made(INPUT, name, low, high)


def apply(op: str, *parts: Part) -> Part:
    """The operator on these parts: a constant if that is known, else the term."""
    if Term not in map(type, parts):
        return _MEANING[op](*parts)
    simpler = _SIMPLER.get(op)
    found = NotImplemented if simpler is None else simpler(*parts)
    return _made(op, *parts) if found is NotImplemented else found


def _plus(one: Part, other: Part) -> Part:
    if not isinstance(one, Term):
        one, other = other, one
    if isinstance(other, Term):
        return NotImplemented
    if other == 0:
        return one
    if one.op == "+" and not isinstance(one.parts[1], Term):
        return apply("+", one.parts[0], one.parts[1] + other)
    return _made("+", one, other)


def _minus(one: Part, other: Part) -> Part:
    if one is other:
        return 0
    return NotImplemented if isinstance(other, Term) else _plus(one, -other)


def _times(one: Part, other: Part) -> Part:
    if not isinstance(one, Term):
        one, other = other, one
    if isinstance(other, Term):
        return NotImplemented
    return {0: 0, 1: one}.get(other, _made("*", one, other))


def _equal(one: Part, other: Part) -> Part:
    if one is other:
        return True
    if not isinstance(one, Term):
        one, other = other, one
    if one.op == "+" and not isinstance(other, Term) and not isinstance(one.parts[1], Term):
        return apply("==", one.parts[0], other - one.parts[1])
    return _made("==", one, other)


def _choice(condition: Part, one: Part, other: Part) -> Part:
    if one is other:
        return one
    return NotImplemented if isinstance(condition, Term) else (one if condition else other)


def _negated(one: Term) -> Part:
    return one.parts[0] if one.op == "not" else NotImplemented


def _joined(decisive: bool) -> Callable[[Part, Part], Part]:
    """Returns a function that joins two truths by "and" (False) or "or" (True): a constant of that value decides it."""

    def joined(one: Part, other: Part) -> Part:
        if not isinstance(one, Term):
            one, other = other, one
        if isinstance(other, Term):
            return one if one is other else NotImplemented
        return decisive if bool(other) is decisive else one

    return joined


_SIMPLER: dict[str, Callable[..., Part]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "==": _equal,
    "<": lambda one, other: False if one is other else NotImplemented,
    "if": _choice,
    "not": _negated,
    "and": _joined(False),
    "or": _joined(True),
}


def leaves(part: Part) -> list[Term]:
    """The variables and inputs of a term."""
    todo, seen = [part], dict[int, Term]()
    while todo:
        term = todo.pop()
        if isinstance(term, Term) and id(term) not in seen:
            seen[id(term)] = term
            todo += term.parts
    return [term for term in seen.values() if term.op in (VARIABLE, INPUT)]


def evaluate(part: Part, value_of: Callable[[Term], int], known: dict[int, Any] | None = None) -> Any:
    """The value of a term whose variables and inputs have these values.

    known  values of terms that were computed before, by `id`; it grows
    """
    known = {} if known is None else known
    todo = [part]
    while todo:
        term = todo[-1]
        if not isinstance(term, Term) or id(term) in known:
            todo.pop()
        elif term.op in (VARIABLE, INPUT):
            known[id(term)] = value_of(term)
        else:
            missing = [each for each in term.parts if isinstance(each, Term) and id(each) not in known]
            if missing:
                todo += missing
            else:
                known[id(term)] = _MEANING[term.op](*(_known_value(each, known) for each in term.parts))
    return _known_value(part, known)


def _known_value(part: Part, known: Mapping[int, Any]) -> Any:
    return known[id(part)] if isinstance(part, Term) else part


def text(part: Part) -> str:
    """A term as readers see it, not longer than some lines."""
    if not isinstance(part, Term):
        return repr(part)
    if part.op in (VARIABLE, INPUT):
        return str(part.parts[0])
    shown = [_within(each) for each in part.parts]
    match part.op:
        case "if":
            return f"{shown[1]} if {shown[0]} else {shown[2]}"
        case "not":
            return f"not {shown[0]}"
    return f"{shown[0]} {part.op} {shown[1]}"


def _within(part: Part) -> str:
    if not isinstance(part, Term) or part.op in (VARIABLE, INPUT):
        return text(part)
    return (
        "(...)"
        if any(isinstance(each, Term) and each.op not in (VARIABLE, INPUT) for each in part.parts)
        else (f"({text(part)})")
    )
