"""What a location holds in the end: coherence has a last write, or nobody wrote."""

from __future__ import annotations

from collections.abc import Callable

from mcr.encoding.formula import Formula
from mcr.encoding.slot import Slot
from replay.world.values import ValueId
from solvers.interface import Statement

Allows = Callable[[ValueId], bool]


class LastWrite:
    """The last write to one location, as far as somebody's demands depend on it. Grows with its formula."""

    def __init__(self, formula: Formula, loc: int) -> None:
        solver = self._solver = formula.solver
        self._check = formula.unfolding.check
        self._initial = formula.unfolding.initial[loc]
        self._writers = formula.communication.writers.setdefault(loc, [])
        self._decided = solver.statement()
        self._untouched = solver.statement()
        self._ways = solver.open_disjunction((-self._decided, self._untouched))
        self._last: list[Statement] = []
        self._values: list[list[ValueId]] = []
        self._demands: list[tuple[Statement, Allows]] = []
        self.grow()

    def demand(self, statement: Statement, allows: Allows) -> None:
        """While `statement` holds, the location ends up with a value that `allows` accepts."""
        self._demands.append((statement, allows))
        self._solver.require((-statement, self._decided))
        if not allows(self._initial):
            self._solver.require((-statement, -self._untouched))
        for place, values in enumerate(self._values):
            for value in values:
                self._apply(statement, allows, place, value)

    def grow(self) -> None:
        """Take in new writers, and new values that they write."""
        while len(self._last) < len(self._writers):
            self._check()
            self._add_writer(self._writers[len(self._last)])
        for place, writer in enumerate(self._writers):
            known = self._values[place]
            for value in list(writer.written)[len(known) :]:
                known.append(value)
                for statement, allows in self._demands:
                    self._apply(statement, allows, place, value)

    def _add_writer(self, writer: Slot) -> None:
        """A writer whose write may be the last one."""
        solver = self._solver
        last = solver.statement()
        solver.require((-last, writer.writes))
        solver.require((-self._untouched, -writer.writes))
        for other, other_last in zip(self._writers, self._last, strict=False):
            self._before(other, writer, last)
            self._before(writer, other, other_last)
        self._last.append(last)
        self._values.append([])
        solver.extend(self._ways, (last,))

    def _before(self, other: Slot, writer: Slot, last: Statement) -> None:
        """If the write of `writer` is last, that of `other` is not after it."""
        if other.thread != writer.thread:
            self._solver.require((-last, -other.writes, self._solver.order(other.event, writer.event)))
        elif other.depth > writer.depth:
            self._solver.require((-last, -other.writes))

    def _apply(self, statement: Statement, allows: Allows, place: int, value: ValueId) -> None:
        if not allows(value):
            self._solver.require((-statement, -self._last[place], -self._writers[place].written[value]))
