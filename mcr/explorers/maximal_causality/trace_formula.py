"""The formula of one trace, to which goals are put one after the other ([huang-2016] 2.3).

    Phi = Phi_mhb and Phi_lock and Phi_validity and Phi_state, and the frozen prefix (2.2)

Only Phi_state, and which read Phi_validity exempts, differ from goal to goal.
All goals share one solver: what belongs to one of them holds under statements
that are assumed while it is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcr.explorers.maximal_causality.constraints import Absent, Constraint, EventId, Happens, any_of
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.phi import (
    is_data_read,
    phi_lock,
    phi_mem,
    phi_prefix,
    phi_read,
    phi_sync,
    phi_value,
)
from mcr.explorers.maximal_causality.program_order import ProgramOrder
from mcr.explorers.maximal_causality.translation import Translation
from replay.world.values import ValueId
from solvers.interface import OrderSolver, Statement


class TraceFormula:
    """The constraints of a trace and its frozen prefix inside one solver."""

    def __init__(
        self, solver: OrderSolver, trace: Observation, order: ProgramOrder, frozen: Sequence[Observed]
    ) -> None:
        self._trace = trace
        self._translation = Translation(solver, trace)
        self._translation.fix(phi_mem(trace, order), phi_sync(trace, order))
        self._translation.require(phi_lock(trace))
        self._translation.require(phi_prefix(frozen))
        self._exempt: dict[EventId, Statement] = {}
        self._reads: dict[tuple[EventId, ValueId], Statement] = {}
        for event in trace.events.values():
            if is_data_read(trace, event):
                self._exempt[event.id] = solver.statement()
                self._translation.require(phi_read(trace, event, brief=True), (self._exempt[event.id],))

    def goal(self, event: Observed) -> list[Statement]:
        """What to assume so that an event of the trace, with the value read that it has here, is the goal.

        It happens, and its thread stops after it.
        """
        exempt = (statement if number == event.id else -statement for number, statement in self._exempt.items())
        following = self._trace.threads[event.thread][event.depth + 1 :]
        stops = (self.name(Absent(later.id)) for later in following)
        assumed = [*exempt, *stops, self.name(Happens(event.id))]
        if event.id in self._exempt:
            assumed.append(self._reads_value(event))
        return assumed

    def _reads_value(self, event: Observed) -> Statement:
        known = self._reads.get((event.id, event.read))
        if known is None:
            known = self.name(phi_value(self._trace, event, brief=True))
            self._reads[event.id, event.read] = known
        return known

    def name(self, constraint: Constraint) -> Statement:
        """A statement that implies a constraint."""
        return self._translation.name(constraint)

    def smaller(self, events: Sequence[Observed], optional: Sequence[Observed]) -> list[Statement]:
        """What to assume so that only some events happen, and not all of the optional ones."""
        kept = {event.id for event in events}
        absent = (self.name(Absent(number)) for number in self._trace.events if number not in kept)
        return [*absent, self.name(any_of(Absent(event.id) for event in optional))]

    def propose(self, assumed: Sequence[Statement]) -> bool:
        """Find an assignment; its order is unchecked."""
        return self._translation.solver.propose(assuming=assumed)

    def prefix(self) -> list[Observed] | None:
        """The proposed prefix; None if its order is cyclic."""
        return self._translation.prefix()
