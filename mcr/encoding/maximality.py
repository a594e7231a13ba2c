"""Maximal executions: every thread came to its end, is stuck for good, or reads something new.

Where a thread stands, it goes on: to the known state that the value read
leads to, or, if that value is new there, out of what is known. Only an
operation that waits for something that memory, in the end, does not hold may
stay where it is. Grows with its formula.
"""

from __future__ import annotations

from mcr.encoding.final_function import FinalFunction
from mcr.encoding.formula import Formula
from mcr.encoding.last_write import LastWrite
from mcr.encoding.slot import Slot
from replay.code.terminals import Ended
from replay.machine.state import NOTHING, Edge, State
from replay.world.operation import Kind
from solvers.interface import Statement


class Maximality:
    """Requires that executions are maximal; with `final`, that the final function runs when it may."""

    def __init__(self, formula: Formula, *, final: bool = False) -> None:
        self._formula = formula
        self._final = FinalFunction(formula) if final else None
        self._solver = formula.solver
        self._states = 0
        self._edges = 0
        self._spawns = 0
        self._ends: dict[int, list[State]] = {}
        self._stuck: dict[Slot, Statement] = {}
        self._last: dict[int, LastWrite] = {}

    def grow(self) -> None:
        """Take in what the formula gained."""
        states, edges = self._formula.unfolding.states, self._formula.unfolding.edges
        threads = self._formula.unfolding.threads
        while self._states < len(self._formula.executed):
            state = states[self._states]
            self._states += 1
            if self._final is not None or not threads[state.thread].is_final:
                self._add(state)
        for edge in edges[self._edges :]:
            if edge.joins and (self._final is not None or not threads[edge.after.thread].is_final):
                self._leads_to(edge)
        self._edges = len(edges)
        if self._final is not None:
            self._final.grow()
        self._add_spawns()
        self._add_ends()
        for last in self._last.values():
            last.grow()

    def stuck(self, state: State) -> Statement:
        """The statement that the operation at `state` is never ready; implies nothing about who is there."""
        slot = self._formula.slot_of[state.number]
        assert slot is not None
        known = self._stuck.get(slot)
        if known is None:
            assert slot.ready is not None
            ready, values = slot.ready, self._formula.unfolding.values
            known = self._stuck[slot] = self._solver.statement()
            self._solver.require((-known, -slot.done))
            self.last_write(slot.loc).demand(known, lambda value: not ready(values[value]))
        return known

    def last_write(self, loc: int) -> LastWrite:
        """What a location holds in the end."""
        known = self._last.get(loc)
        if known is None:
            known = self._last[loc] = LastWrite(self._formula, loc)
        return known

    def _add(self, state: State) -> None:
        if state.entries:
            self._leads_to(state.entry)
        if state.operation is not None:
            self._goes_on(state)
        elif isinstance(state.terminal, Ended):
            self._ends.setdefault(state.thread, []).append(state)

    def _leads_to(self, edge: Edge) -> None:
        """Who is at a state and reads what a step reads takes it."""
        before = edge.before
        executed, slot = self._formula.executed, self._formula.slot_of[before.number]
        assert slot is not None
        conditions = [-executed[before.number]]
        if edge.read != NOTHING:
            conditions += [-slot.done, -slot.values[edge.read]]
        elif slot.kind is Kind.FINAL:
            conditions.append(-slot.done)
        self._solver.require((*conditions, self._formula.taken(edge)))

    def _goes_on(self, state: State) -> None:
        """Who is at a state that reads executes its operation, or is stuck."""
        slot = self._formula.slot_of[state.number]
        assert slot is not None
        if slot.kind is Kind.START:
            return
        ways = [slot.done] if slot.reads or slot.kind is Kind.CHOOSE else []
        if slot.ready is not None:
            ways.append(self.stuck(state))
        if ways:
            self._solver.require((-self._formula.executed[state.number], *ways))

    def _add_spawns(self) -> None:
        """Threads that were spawned start."""
        spawns = self._formula.endings.spawns
        for spawn in spawns[self._spawns :]:
            root = self._formula.unfolding.threads[spawn.child].root
            start = self._formula.slot_of[root.number]
            assert start is not None
            self._solver.require((-spawn.done, start.done))
        self._spawns = len(spawns)

    def _add_ends(self) -> None:
        """Who returned has ended, its stores in memory, so that joins do not wait for it."""
        endings = self._formula.endings
        for thread in [thread for thread in self._ends if endings.awaits(thread)]:
            for state in self._ends.pop(thread):
                ended = endings.ended(state)
                assert ended is not None
                self._solver.require((-self._formula.executed[state.number], ended))
