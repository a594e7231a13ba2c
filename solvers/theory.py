"""Acyclicity as a theory inside CaDiCaL: a cycle becomes a clause at once, not only when all is assigned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solvers.acyclicity import Acyclicity
from solvers.interface import Check, Event, Statement, unchecked
from solvers.interrupts import interrupts_held_back
from solvers.sat import SatSolver


class TheorySatSolver(SatSolver):
    """A SAT solver that asks `Acyclicity` while it searches, so that its proposals never have a cycle.

    Like Z3's clocks, it orders all events, also those that nobody asks to sort.
    """

    _work = 500_000
    """A hundredth of what others do: the solver calls Python at each step."""

    def __init__(self, solver: str, name: str, check: Check = unchecked) -> None:
        super().__init__(solver, check)
        self.name = name
        self._theory = Acyclicity()
        self._solver.connect_propagator(self._theory)

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        super().precedes(earlier, later, guard)
        self._watch(earlier, later, [guard] if guard else [])

    def order(self, first: Event, second: Event) -> Statement:
        is_new = (first, second) not in self._graph.statements
        statement = super().order(first, second)
        if is_new:
            self._watch(first, second, [statement])
            self._watch(second, first, [-statement])
        return statement

    def _solve_limited(self, solver: Any, assumptions: list[Statement]) -> bool | None:
        with interrupts_held_back():
            return super()._solve_limited(solver, assumptions)

    def _watch(self, earlier: Event, later: Event, reasons: Sequence[Statement]) -> None:
        for reason in reasons:
            self._solver.observe(abs(reason))
        self._theory.add_edge(earlier, later, reasons)
