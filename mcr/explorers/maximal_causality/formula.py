"""The formula of one trace inside a solver: its constraints as statements and orders ([huang-2016] 2.3).

Phi = Phi_mhb and Phi_lock and Phi_validity and Phi_state, and the frozen prefix (2.2)
"""

from __future__ import annotations

from collections.abc import Sequence

from mcr.explorers.maximal_causality.constraints import Absent, And, Before, Constraint, EventId, Happens, Or, any_of
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
from replay.world.values import ValueId
from solvers.interface import OrderSolver, Statement

Literal = Statement | bool
"""A statement, or a truth that is known beforehand."""


class Translation:
    """One trace's constraints inside one solver.

    The solver's own preference is to leave a statement false. Orders are
    therefore asked for the other way round than the trace has them, so that
    whatever a goal leaves open stays as it was observed and cycles are rare.
    """

    def __init__(self, solver: OrderSolver, trace: Observation) -> None:
        self.solver = solver
        self._trace = trace
        self._events = {number: solver.event() for number in trace.events}
        self._numbers = {event: number for number, event in self._events.items()}
        self._happens = {number: solver.statement() for number in trace.events}
        self._fixed: dict[EventId, int] = dict.fromkeys(trace.events, 0)

    def fix(self, *conjunctions: And) -> None:
        """Require orders that must hold, to be called once and before `require`.

        What must come before an event must happen if the event does (2.3: feasibility).
        """
        direct: dict[EventId, list[EventId]] = {}
        for constraint in (part for conjunction in conjunctions for part in conjunction.parts):
            if isinstance(constraint, Before):
                direct.setdefault(constraint.second, []).append(constraint.first)
            else:
                self.require(constraint)
        for event in sorted(self._trace.events.values(), key=lambda e: e.moment):
            for earlier in direct.get(event.id, ()):
                self._fixed[event.id] |= self._fixed[earlier] | 1 << earlier
                self.solver.precedes(self._events[earlier], self._events[event.id])
                self.solver.require((-self._happens[event.id], self._happens[earlier]))

    def require(self, constraint: Constraint, unless: tuple[Statement, ...] = ()) -> None:
        """Require a constraint, or else one of the given statements."""
        match constraint:
            case And(parts):
                for part in parts:
                    self.require(part, unless)
            case Or(parts):
                self._clause([*unless, *map(self._literal, parts)])
            case _:
                self._clause([*unless, self._literal(constraint)])

    def _clause(self, literals: list[Literal]) -> None:
        if not any(literal is True for literal in literals):
            self.solver.require([literal for literal in literals if literal is not False])

    def _literal(self, constraint: Constraint) -> Literal:
        match constraint:
            case Before(first, second):
                return self._order(first, second)
            case _:
                return self.name(constraint)

    def name(self, constraint: Constraint) -> Statement:
        """A statement that implies the constraint."""
        match constraint:
            case Happens(event):
                return self._happens[event]
            case Absent(event):
                return -self._happens[event]
            case _:
                name = self.solver.statement()
                self.require(constraint, (-name,))
                return name

    def _order(self, first: EventId, second: EventId) -> Literal:
        if self._fixed[second] >> first & 1:
            return True
        if self._fixed[first] >> second & 1:
            return False
        events, moments = self._events, self._trace.events
        if moments[first].moment < moments[second].moment:
            return -self.solver.order(events[second], events[first])
        return self.solver.order(events[first], events[second])

    def propose(self, assumed: Sequence[Statement] = ()) -> bool:
        """Find an assignment; its order is unchecked."""
        return self.solver.propose(assuming=assumed)

    def prefix(self) -> list[Observed] | None:
        """The events that happen in the proposed assignment, in its order; None if that is a cycle."""
        holds = self.solver.holds
        happening = [self._events[number] for number, statement in self._happens.items() if holds(statement)]
        order = self.solver.sort(happening)
        return None if order is None else [self._trace.events[self._numbers[event]] for event in order]


class TraceFormula(Translation):
    """The formula of one trace and its frozen prefix, to which goals are put one after the other (2.3).

    Only Phi_state, and which read Phi_validity exempts, differ from goal to goal:
    what belongs to one of them holds under statements that are assumed while it is asked about.
    """

    def __init__(
        self, solver: OrderSolver, trace: Observation, order: ProgramOrder, frozen: Sequence[Observed]
    ) -> None:
        super().__init__(solver, trace)
        self.fix(phi_mem(trace, order), phi_sync(trace, order))
        self.require(phi_lock(trace))
        self.require(phi_prefix(frozen))
        self._exempt: dict[EventId, Statement] = {}
        self._reads: dict[tuple[EventId, ValueId], Statement] = {}
        for event in trace.events.values():
            if is_data_read(trace, event):
                self._exempt[event.id] = solver.statement()
                self.require(phi_read(trace, event, brief=True), (self._exempt[event.id],))

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

    def smaller(self, events: Sequence[Observed], optional: Sequence[Observed]) -> list[Statement]:
        """What to assume so that only some events happen, and not all of the optional ones."""
        kept = {event.id for event in events}
        absent = (self.name(Absent(number)) for number in self._trace.events if number not in kept)
        return [*absent, self.name(any_of(Absent(event.id) for event in optional))]
