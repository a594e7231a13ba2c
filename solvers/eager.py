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

    def event(self) -> Event:
        new = super().event()
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

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        unguarded = [-guard] if guard else []
        self.require(unguarded if earlier == later else (self.order(earlier, later), *unguarded))
