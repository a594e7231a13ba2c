"""Orders as clauses, all at once: any two events are ordered, and orders are transitive.

The textbook encoding, and the yardstick for the lazy one (`solvers.sat`). Its
size grows with the cube of the number of events.
"""

from __future__ import annotations

from solvers.interface import Check, Event, Statement, unchecked
from solvers.sat import SatSolver


class EagerSatSolver(SatSolver):
    """A SAT solver whose proposals never have a cycle.

    Like Z3's clocks, it orders all events, also those that nobody asks to sort.
    """

    def __init__(self, solver: str, name: str, check: Check = unchecked) -> None:
        super().__init__(solver, check)
        self.name = name
        self._guards: list[Statement] = []

    def event(self, guard: Statement = 0) -> Event:
        new = super().event()
        self._guards.append(guard)
        for other in range(new):
            self.order(other, new)
        for first in range(new):
            self._check()
            for second in range(first):
                between = self.order(first, second)
                before, after = self.order(second, new), self.order(new, first)
                self.require((-between, -before, -after))
                self.require((between, before, after))
        return new

    def precedes(self, earlier: Event, later: Event) -> None:
        guards = [-self._guards[event] for event in (earlier, later) if self._guards[event]]
        self.require(guards if earlier == later else (self.order(earlier, later), *guards))
