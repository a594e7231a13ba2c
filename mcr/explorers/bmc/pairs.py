"""Orders that follow from others by program order, said outright.

Two events whose order a statement decides may be far apart in what a solver
sees: that a is before b, and b before c in program order, puts a before c, if
anybody cares how a and c are ordered. Solvers of this project learn that from
cycles that they propose; here it is a clause, so that it is known at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solvers.interface import Event, OrderSolver, Statement

DENSE = 80
"""Events up to which all are ordered by statements. Beyond, that is worth less than it costs: fastmutex(4)."""


class PairingSolver:
    """A solver that also says what orders and fixed orders imply, pair by pair. For the rest it is the solver."""

    def __init__(self, solver: OrderSolver) -> None:
        self._solver = solver
        self._partners: list[dict[Event, Statement]] = []
        """By event, those with which it has an order that a statement decides, and the statement that it is first."""
        self._fixed: list[dict[Event, Statement]] = []
        """By event, those that are fixed after it, and the guard of that, 0 for none."""
        self._new: list[tuple[Event, Event]] = []
        self._newly_fixed: list[tuple[Event, Event]] = []
        self.statements = 0
        self.requirements = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    def statement(self) -> Statement:
        self.statements += 1
        return self._solver.statement()

    def require(self, alternatives: Sequence[Statement]) -> None:
        self.requirements += 1
        self._solver.require(alternatives)

    @property
    def events(self) -> int:
        return len(self._fixed)

    @property
    def fixed(self) -> int:
        """How many pairs are in order whatever is decided."""
        return sum(map(len, self._fixed))

    def event(self) -> Event:
        self._partners.append({})
        self._fixed.append({})
        return self._solver.event()

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        self._solver.precedes(earlier, later, guard)
        if self._fixed[earlier].get(later, 1):
            self._fixed[earlier][later] = guard
            self._newly_fixed.append((earlier, later))

    def order(self, first: Event, second: Event) -> Statement:
        found = self._partners[first].get(second)
        if found is None:
            found = self._solver.order(first, second)
            self.statements += 1
            self._partners[first][second] = found
            self._partners[second][first] = -found
            self._new.append((first, second))
        return found

    def close(self) -> None:
        """Say what follows from all orders, where one of them is new."""
        if not self._new and not self._newly_fixed:
            return
        after = self._after()
        if len(after) <= DENSE:
            for one in range(len(after)):
                for other in range(one):
                    if not (after[one] >> other | after[other] >> one) & 1:
                        self.order(other, one)
        everything = bool(self._newly_fixed)
        new = {pair for one, other in self._new for pair in ((one, other), (other, one))}
        touched = {event for event, _ in new}
        self._new, self._newly_fixed = [], []
        guarded = [
            [(far, guard) for far, guard in later.items() if guard and not after[near] >> far & 1]
            for near, later in enumerate(self._fixed)
        ]
        for event, partners in enumerate(self._partners):
            if not everything and event not in touched:
                continue
            place = {far: number for number, far in enumerate(partners)}
            mask = sum(1 << far for far in partners)
            for near, before in partners.items():
                is_new = everything or (event, near) in new
                if is_new and after[event] >> near & 1:
                    self._solver.require((before,))
                for far in sorted(_nearest(mask & after[near], after), key=place.__getitem__):
                    if is_new or (event, far) in new:
                        self._solver.require((-before, partners[far]))
                for far, guard in guarded[near]:
                    if far in partners and (is_new or (event, far) in new):
                        self._solver.require((-before, partners[far], -guard))

    def _after(self) -> list[int]:
        """By event, the bit set of those that are fixed after it for good."""
        found: dict[Event, int] = {}
        for root in range(len(self._fixed)):
            todo = [root]
            while todo:
                event = todo[-1]
                later = [each for each, guard in self._fixed[event].items() if not guard]
                missing = [each for each in later if each not in found]
                if missing:
                    todo += missing
                    continue
                todo.pop()
                found[event] = 0
                for each in later:
                    found[event] |= found[each] | 1 << each
        return [found[event] for event in range(len(self._fixed))]


def _nearest(later: int, after: list[int]) -> list[Event]:
    """Of a bit set of events, those that come after none of the others: these follow."""
    beyond, left, found = 0, later, []
    while left:
        event = (left & -left).bit_length() - 1
        found.append(event)
        beyond |= after[event]
        left &= ~(beyond | 1 << event)
    return [event for event in found if not beyond >> event & 1]
