"""What a number may be at least and at most, so that no bit is spent on what it never is.

Ranges are exact for whole numbers of any size: nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from replay.world.terms import INPUT, VARIABLE, Part, Term


class Range(NamedTuple):
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    def __or__(self, other: object) -> Range:
        """The least range that has both."""
        assert isinstance(other, Range)
        return Range(min(self.low, other.low), max(self.high, other.high))

    @property
    def width(self) -> int:
        """How many bits tell its numbers apart, in two's complement; without the sign where none is negative."""
        bits = max(self.high.bit_length(), (-self.low - 1).bit_length() if self.low < 0 else 0)
        return bits + (self.low < 0)


TRUTH = Range(0, 1)


def range_of(part: Part, ranges: Mapping[Term, Range], known: dict[Term, Range]) -> Range:
    """The range of a term whose variables have these; that of a variable that has none is 0.

    known  ranges of terms that were computed before; it grows
    """
    if not isinstance(part, Term):
        return Range(int(part), int(part))
    todo = [part]
    while todo:
        term = todo[-1]
        if term in known:
            todo.pop()
            continue
        missing = [each for each in term.parts if isinstance(each, Term) and each not in known]
        if missing:
            todo += missing
        else:
            known[term] = _computed(term, ranges, known)
    return known[part]


def _computed(term: Term, ranges: Mapping[Term, Range], known: Mapping[Term, Range]) -> Range:
    if term.op == VARIABLE:
        return ranges.get(term, Range(0, 0))
    if term.op == INPUT:
        return Range(*term.parts[1:])
    if term.is_truth:
        return TRUTH
    parts = [known[each] if isinstance(each, Term) else Range(int(each), int(each)) for each in term.parts]
    found: Range = _RULES[term.op](*parts)
    return found


def _product(one: Range, other: Range) -> Range:
    corners = [a * b for a in one for b in other]
    return Range(min(corners), max(corners))


def _quotient(one: Range, other: Range) -> Range:
    divisors = {d for d in (other.low, other.high, -1, 1) if d and other.low <= d <= other.high}
    corners = [a // d for a in one for d in divisors] + [0]
    return Range(min(corners), max(corners))


def _rest(_: Range, other: Range) -> Range:
    return Range(min(0, other.low + 1), max(0, other.high - 1))


def _bits(one: Range, other: Range) -> Range:
    width = max(_magnitude(one), _magnitude(other))
    return Range(-(1 << width) if min(one.low, other.low) < 0 else 0, (1 << width) - 1)


def _common_bits(one: Range, other: Range) -> Range:
    if one.low < 0 and other.low < 0:
        return _bits(one, other)
    return Range(0, min(each.high for each in (one, other) if each.low >= 0))


def _magnitude(range: Range) -> int:
    return max(range.high.bit_length(), (-range.low - 1).bit_length() if range.low < 0 else 0)


def _shifted(one: Range, other: Range) -> Range:
    distance = other.low
    return Range(*(each << distance if distance >= 0 else each >> -distance for each in one))


_RULES: dict[str, Callable[..., Any]] = {
    "+": lambda one, other: Range(one.low + other.low, one.high + other.high),
    "-": lambda one, other: Range(one.low - other.high, one.high - other.low),
    "*": _product,
    "//": _quotient,
    "%": _rest,
    "&": _common_bits,
    "|": _bits,
    "^": _bits,
    "<<": _shifted,
    "if": lambda _, one, other: one | other,
}
