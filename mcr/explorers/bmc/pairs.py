"""Orders that follow from others by program order, said outright.

Two events whose order a statement decides may be far apart in what a solver
sees: that a is before b, and b before c in program order, puts a before c, if
anybody cares how a and c are ordered. Solvers of this project learn that from
cycles that they propose; here it is a clause, so that it is known at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        self._new, self._newly_fixed = [], []
        for event, partners in enumerate(self._partners):
            for near, before in partners.items():
                is_new = everything or (event, near) in new
                if is_new and after[event] >> near & 1:
                    self._solver.require((before,))
                for far, guards in self._next(near, partners, after):
                    if is_new or (event, far) in new:
                        self._solver.require((-before, partners[far], *guards))

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

    def _next(
        self, near: Event, partners: dict[Event, Statement], after: list[int]
    ) -> Iterable[tuple[Event, tuple[Statement, ...]]]:
        """Partners that come after one of them, and what that depends on: the nearest, as the others follow."""
        certain = [far for far in partners if after[near] >> far & 1]
        nearest = [far for far in certain if not any(after[between] >> far & 1 for between in certain)]
        guarded = ((far, (-guard,)) for far, guard in self._fixed[near].items() if guard and far in partners)
        return [*((far, ()) for far in nearest), *(each for each in guarded if not after[near] >> each[0] & 1)]
