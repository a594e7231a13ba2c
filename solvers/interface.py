"""The interface to a solver, in the words of the problem.

A solver knows *statements* (something is executed, a load reads from a store,
...) and *events* (things that have a moment). It finds an assignment to the
statements that satisfies all requirements and whose orders have no cycle.
Statements are integers; the negation of s is -s. Nothing else of a solver is
visible outside this package: no clauses of its own, no Z3 terms.

An exploration asks in turns, until nothing is left to find:

    while solver.propose():
        order = solver.sort(events that matter)
        if order is not None: use it, and require something new
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol


class SolverError(Exception):
    """A solver that was asked for cannot be had; the message is one sentence that says what to do."""


Statement = int
Event = int
Disjunction = int

Check = Callable[[], None]
"""What a solver calls now and then while it searches; it ends the search by raising something."""


def unchecked() -> None:
    """The check of a solver that nobody is in a hurry for."""


class OrderSolver(Protocol):
    """An incremental solver for statements and orders. Requirements are only ever added."""

    name: str

    @property
    def effort(self) -> int:
        """How much it has searched so far, in propagations or what takes as long; the same in every run."""

    def statement(self) -> Statement:
        """A new statement, free to be true or false."""

    def require(self, alternatives: Sequence[Statement]) -> None:
        """At least one of the alternatives holds."""

    def open_disjunction(self, alternatives: Sequence[Statement]) -> Disjunction:
        """Like `require`, but more alternatives may be added later."""

    def extend(self, disjunction: Disjunction, alternatives: Sequence[Statement]) -> None:
        """Add alternatives to an open disjunction."""

    def event(self) -> Event:
        """A new event."""

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        """Fix that `earlier` is before `later`: always or, with a guard, while that holds."""

    def order(self, first: Event, second: Event) -> Statement:
        """The statement that `first` is before `second`, another event; its negation says the opposite."""

    def propose(self, assuming: Sequence[Statement] = ()) -> bool:
        """Find an assignment in which all of `assuming` holds, in this call only; False if there is none.

        Raises what the solver's check raises, KeyboardInterrupt if Ctrl-C stops the search; it may be asked again then.

        The orders of the assignment need not be free of cycles yet: `sort` decides that.
        """

    def holds(self, statement: Statement) -> bool:
        """The statement's truth in the proposed assignment."""

    def sort(self, events: Iterable[Event]) -> list[Event] | None:
        """The given events in an order that agrees with the proposed assignment.

        None if the assignment orders them in a cycle; the solver has then
        learned not to propose it again, and the caller proposes anew.
        """


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
        """Returns assumptions for the next call, so that nothing but the known alternatives count."""
        return [*(-more for more in self._more), *assuming]

    def _require_or_more(self, alternatives: Sequence[Statement]) -> Statement:
        more = self.statement()
        self.require((*alternatives, more))
        return more
