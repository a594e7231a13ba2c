"""Disjunctions that may gain alternatives between two calls, for solvers that know assumptions only."""

from __future__ import annotations

from collections.abc import Sequence

from solvers.interface import Disjunction, Statement


class Closings:
    """The part of a solver that keeps open disjunctions closed for the next call.

    The last alternative of an open disjunction is a statement "more", assumed to be false in each call until the
    disjunction is extended; then it implies the new alternatives or yet "more". Whatever the solver learned before
    stays true, and useful: it says which disjunction must be extended first.

    One assumption per disjunction looks like much, but groups of disjunctions closed by one assumed statement were
    slower, up to four times with CaDiCaL: each extension leaves dead clauses that the old "more"s keep waking up.
    """

    def __init__(self) -> None:
        self._more: list[Statement] = []

    def statement(self) -> Statement:
        raise NotImplementedError

    def require(self, alternatives: Sequence[Statement]) -> None:
        raise NotImplementedError

    def open_disjunction(self, alternatives: Sequence[Statement]) -> Disjunction:
        self._more.append(self._require_or_more(alternatives))
        return len(self._more) - 1

    def extend(self, disjunction: Disjunction, alternatives: Sequence[Statement]) -> None:
        self._more[disjunction] = self._require_or_more((-self._more[disjunction], *alternatives))

    def closed(self, assuming: Sequence[Statement]) -> list[Statement]:
        """What to assume in the next call, so that nothing but the known alternatives count."""
        return [*(-more for more in self._more), *assuming]

    def _require_or_more(self, alternatives: Sequence[Statement]) -> Statement:
        more = self.statement()
        self.require((*alternatives, more))
        return more
