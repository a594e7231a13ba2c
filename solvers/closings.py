"""Disjunctions that may gain alternatives between two calls, for solvers that know assumptions only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from solvers.interface import Disjunction, Statement


class ClauseSolver(Protocol):
    """What open disjunctions need of the solver that they live in."""

    def statement(self) -> Statement: ...

    def require(self, alternatives: Sequence[Statement]) -> None: ...


class Closings:
    """Keeps open disjunctions closed for the next call.

    The last alternative of an open disjunction is a statement "more", assumed
    to be false in each call until the disjunction is extended; then it implies
    the new alternatives or yet "more". Whatever the solver learned before stays
    true, and useful: it says which disjunction must be extended first.

    One assumption per disjunction looks like much, but groups of disjunctions
    closed by one assumed statement were slower, up to four times with CaDiCaL:
    each extension leaves dead clauses that the old "more"s keep waking up.
    """

    def __init__(self, solver: ClauseSolver) -> None:
        self._solver = solver
        self._more: list[Statement] = []

    def open(self, alternatives: Sequence[Statement]) -> Disjunction:
        self._more.append(self._require_or_more(alternatives))
        return len(self._more) - 1

    def extend(self, disjunction: Disjunction, alternatives: Sequence[Statement]) -> None:
        self._more[disjunction] = self._require_or_more((-self._more[disjunction], *alternatives))

    def assumptions(self) -> list[Statement]:
        """What to assume in the next call, so that nothing but the known alternatives count."""
        return [-more for more in self._more]

    def _require_or_more(self, alternatives: Sequence[Statement]) -> Statement:
        more = self._solver.statement()
        self._solver.require((*alternatives, more))
        return more
