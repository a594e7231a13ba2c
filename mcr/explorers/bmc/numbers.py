"""The least and greatest values of numbers, as far as code has been run on terms, so that no bit is spent in vain.

Ranges are exact for whole numbers of any size: nothing overflows.

Some own stores hide from every later read of their thread what lies before them (`Shadows`). A thread that is in a
certain state at some depth, whatever it does, and stores there, reads that store later or something newer. So nothing
that it stored earlier is read then, nor what memory held at first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mcr.explorers.bmc.growth import as_part, number_read
from replay.errors import BeyondTerms
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind, Source
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


class Shadows:
    """Which own stores hide earlier ones. What was said may become wrong when the unfolding grows: `are_valid`."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._states = 0
        self._at: dict[tuple[int, int], list[State]] = {}
        self._stores: dict[tuple[int, int], list[int]] = {}
        """By thread and location, the depths at which it stores there, whatever it does; ascending."""
        self._used: set[tuple[int, int]] = set()
        self._doubted: set[tuple[int, Source | None]] = set()
        """Depths and lines of stores that were taken for certain, and are not: threads of the same code have these."""

    def grow(self) -> None:
        """Take in all that the unfolding gained."""
        states = self._unfolding.states[self._states :]
        if not states:
            return
        self._states += len(states)
        for state in states:
            self._at.setdefault((state.thread, state.depth), []).append(state)
        self._doubted |= {self._place(found) for used in self._used if len(found := self._at[used]) > 1}
        self._stores = {}
        for (thread, depth), found in sorted(self._at.items()):
            operation = found[0].operation
            if len(found) > 1 or self._place(found) in self._doubted:
                continue
            if operation is not None and operation.kind in (Kind.STORE, Kind.UNLOCK):
                self._stores.setdefault((thread, found[0].loc), []).append(depth)

    @staticmethod
    def _place(found: Sequence[State]) -> tuple[int, Source | None]:
        operation = found[0].operation
        return found[0].depth, None if operation is None else operation.source

    def hides(self, thread: int, depth: int, loc: int) -> int:
        """The depth of the latest store that is certain to precede a read, -1 if there is none."""
        found = max((each for each in self._stores.get((thread, loc), ()) if each < depth), default=-1)
        if found >= 0:
            self._used.add((thread, found))
        return found

    def forget(self) -> None:
        """Forget which answers were given: a new formula relies on none of them."""
        self._used = set()

    def are_valid(self) -> bool:
        """Returns whether all answers that were given still hold."""
        return all(len(self._at[place]) == 1 for place in self._used)


WIDEST = 4_096
"""Bits of a number beyond which nobody waits for an answer."""


class Numbers:
    """The ranges of the numbers that are read, as far as the unfolding is known.

    A number that is read was stored, and what was stored was computed from numbers that were read before: a chain of
    as many links as there are stores, at most. So this many rounds are enough.
    """

    def __init__(self, unfolding: Unfolding, shadows: Shadows, *, by_value: bool = False) -> None:
        """`by_value`: who reads reads one of the values that were stored, and no number."""
        self._unfolding = unfolding
        self._by_value = by_value
        self.shadows = shadows
        self._edges = 0
        self._stored: dict[int, dict[tuple[int, int, Part], None]] = {}
        self._read: dict[Term, tuple[int, int, int]] = {}
        self._writers: dict[int, set[tuple[int, int]]] = {}
        self._of_variable: dict[Term, Range] = {}
        self._only: dict[Term, Part] = {}
        self._known: dict[Term, Range] = {}

    def of(self, part: Part) -> Range:
        """The range of a term. Raises BeyondTerms if that is beyond all reason."""
        found = range_of(part, self._of_variable, self._known)
        if found.width > WIDEST:
            raise BeyondTerms("a number may need thousands of bits", terms=(part,) if isinstance(part, Term) else ())
        return found

    def only(self, term: Term) -> Part | None:
        """Returns the one value of a number that its thread stored itself; None if it may vary."""
        found = self._only_part(*self._read[term]) if term in self._read else None
        if found is not None:
            self._only[term] = found
        return found

    def _only_part(self, thread: int, depth: int, loc: int) -> Part | None:
        hidden = self.shadows.hides(thread, depth, loc)
        if hidden < 0 or any(
            writer != thread or hidden < place < depth for writer, place in self._writers.get(loc, ())
        ):
            return None
        parts = [part for writer, place, part in self._stored.get(loc, ()) if place == hidden]
        return parts[0] if len(parts) == 1 else None

    def forget(self) -> None:
        """Forget which answers were given: a new formula relies on none of them."""
        self._only = {}
        self.shadows.forget()

    def are_valid(self) -> bool:
        """Returns whether all numbers still cannot vary, and all stores still hide others, that were said to."""
        return self.shadows.are_valid() and all(
            self._only_part(*self._read[term]) is part for term, part in self._only.items()
        )

    def grow(self) -> None:
        """Take in all that the unfolding gained."""
        edges = self._unfolding.edges[self._edges :]
        if not edges:
            return
        self._edges += len(edges)
        self.shadows.grow()
        for edge in edges:
            self._note(edge)
        sources = {term: self._sources(*place) for term, place in self._read.items()}
        parts_read = {part for parts in sources.values() for part in parts}
        self._of_variable = {}
        for _ in range(sum(map(len, self._stored.values())) + 1):
            self._unfolding.check()
            self._known = {}
            ranges = {part: self.of(part) for part in parts_read}
            found = {term: _joined([ranges[part] for part in parts]) for term, parts in sources.items()}
            if found == self._of_variable:
                return
            self._of_variable = found

    def _note(self, edge: Edge) -> None:
        before, values = edge.before, self._unfolding.values
        if self._by_value:
            return
        if before.reads:
            self._read[number_read(before.thread, before.depth, before.loc)] = before.thread, before.depth, before.loc
        if edge.wrote != NOTHING:
            self._writers.setdefault(before.loc, set()).add((before.thread, before.depth))
            part = as_part(values[edge.wrote])
            if part is not None:
                self._stored.setdefault(before.loc, {})[before.thread, before.depth, part] = None

    def _sources(self, thread: int, depth: int, loc: int) -> list[Part]:
        """Returns what an operation may read: all that was stored there, without what its own thread stores later."""
        hidden = self.shadows.hides(thread, depth, loc)
        initial = as_part(self._unfolding.values[self._unfolding.initial[loc]]) if hidden < 0 else None
        return ([] if initial is None else [initial]) + [
            part for writer, place, part in self._stored.get(loc, ()) if writer != thread or hidden <= place < depth
        ]


def _joined(ranges: Sequence[Range]) -> Range:
    """The least range that has all of these."""
    return Range(min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else Range(0, 0)
