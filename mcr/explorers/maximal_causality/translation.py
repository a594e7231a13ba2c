"""From constraints to a solver's statements and orders."""

from __future__ import annotations

from mcr.explorers.maximal_causality.constraints import Absent, And, Before, Constraint, EventId, Happens, Or
from mcr.explorers.maximal_causality.observation import Observation, Observed
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

    def prefix(self) -> list[Observed] | None:
        """The events that happen in the proposed assignment, in its order; None if that is a cycle."""
        holds = self.solver.holds
        happening = [self._events[number] for number, statement in self._happens.items() if holds(statement)]
        order = self.solver.sort(happening)
        return None if order is None else [self._trace.events[self._numbers[event]] for event in order]
