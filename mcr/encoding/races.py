"""Two accesses of a plain cell that nothing orders: executions in which both come last, one after the other.

What depends on neither is left out of the execution, and nothing in it depends on them, by ppo or rf
(docs/robustness.md). So either may be the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

from mcr.encoding.formula import Formula
from mcr.encoding.slot import Slot
from replay.machine.state import State
from replay.world.memory_model import Access
from replay.world.operation import Source
from solvers.interface import Statement


class Spot(NamedTuple):
    """Accesses of one location that a reader calls the same: their line, and what they do."""

    where: str
    line: Source | None
    access: Access
    writes: bool


class Racing(NamedTuple):
    """A statement that accesses of two spots race, and for any two slots which of them do."""

    some: Statement
    pairs: list[tuple[Statement, Slot, Slot]]


class Races:
    """Asks a formula, whose unfolding is complete, for races between spots of plain cells."""

    def __init__(self, formula: Formula, plain: frozenset[str] | None) -> None:
        """`plain` names the plain cells; with None, all cells are."""
        self._formula = formula
        self._solver = formula.solver
        self._slots: dict[Spot, dict[Slot, list[State]]] = {}
        self._last: dict[Slot, Statement] = {}
        for state in formula.unfolding.states:
            self._add(state, plain)

    def _add(self, state: State, plain: frozenset[str] | None) -> None:
        slot, operation = self._formula.slot_of[state.number], state.operation
        if slot is None or operation is None or not (slot.reads or slot.writes) or not state.edges:
            return
        if operation.location is None or (plain is not None and operation.where not in plain):
            return
        spot = Spot(operation.where, operation.source, slot.access, bool(slot.writes))
        self._slots.setdefault(spot, {}).setdefault(slot, []).append(state)

    def pairs(self) -> Iterator[tuple[Spot, Spot]]:
        """Those that conflict: one of them writes, and not both are synchronisation."""
        spots = sorted(self._slots, key=lambda spot: (spot.where, str(spot.line), spot.access.value, spot.writes))
        for one, other in combinations_with_replacement(spots, 2):
            accesses = {one.access, other.access}
            if one.where == other.where and (one.writes or other.writes) and accesses != {Access.BARRIER}:
                yield one, other

    def between(self, one: Spot, other: Spot) -> Racing:
        """What to ask for to have two such accesses race."""
        solver = self._solver
        found: list[tuple[Statement, Slot, Slot]] = []
        for first in self._slots[one]:
            for second in self._slots[other]:
                if first.thread != second.thread and first.loc == second.loc:
                    race = solver.statement()
                    self._require(race, first, one, second)
                    self._require(race, second, other, first)
                    solver.require((-race, *(slot.writes for slot in (first, second) if slot.writes)))
                    found.append((race, first, second))
        some = solver.statement()
        solver.require((-some, *(race for race, _, _ in found)))
        return Racing(some, found)

    def _require(self, race: Statement, slot: Slot, spot: Spot, other: Slot) -> None:
        """In a race, a slot is executed from that line, and comes last.

        What an update reads decides whether it writes, so it reads what is there when it does come last.
        """
        solver = self._solver
        solver.require((-race, self._comes_last(slot)))
        states = self._slots[spot][slot]
        steps = [self._formula.taken(edge) for state in states for edge in state.edges.values()]
        solver.require((-race, *steps))
        if slot.access is Access.BARRIER:
            for writer in self._formula.communication.writers.get(slot.loc, ()):
                if writer is not other and writer.thread != slot.thread:
                    solver.require((-race, -writer.writes, solver.order(writer.event, slot.event)))

    def _comes_last(self, slot: Slot) -> Statement:
        """The statement that a slot is executed and nothing depends on it, by ppo or rf."""
        known = self._last.get(slot)
        if known is not None:
            return known
        solver, keeps = self._solver, self._formula.model.keeps
        last = self._last[slot] = solver.statement()
        solver.require((-last, slot.done))
        for later in self._formula.slots_of(slot.thread):
            if later.depth > slot.depth and keeps(slot.access, later.access, slot.where, later.where):
                solver.require((-last, -later.done))
        for reader, reads_from in slot.readers:
            if reader.thread != slot.thread:
                solver.require((-last, -reads_from))
        for source, reads_from in slot.sources:
            if source is not None and source.thread == slot.thread:  # out of memory, not out of the buffer
                solver.require((-last, -reads_from, solver.order(source.event, slot.event)))
        return last
