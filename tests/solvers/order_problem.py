"""What a solver has been told, as plain data with its meaning spelled out: the oracle of the contract suite.

A *fact* is an integer k (a free statement) or a pair of events (a, b) ("a is
before b"). A *claim* is a fact with the truth it should have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations, product

from solvers.interface import OrderSolver, Statement

Fact = int | tuple[int, int]
Claim = tuple[Fact, bool]

# Far more proposals than the problems of the suite need.
PATIENCE = 5000


@dataclass
class OrderProblem:
    """Requirements on `events` events and `facts` free statements, all of which may be added to.

    `fixed` holds pairs (earlier, later), each with a claim as its guard or None.
    """

    events: int
    facts: int
    fixed: list[tuple[int, int, Claim | None]] = field(default_factory=list)
    required: list[tuple[Claim, ...]] = field(default_factory=list)
    open: list[tuple[Claim, ...]] = field(default_factory=list)

    def broken(self, order: list[int], truth: dict[int, bool]) -> list[object]:
        """The requirements that an order of all events and a truth of the free statements break."""
        moment = {event: position for position, event in enumerate(order)}

        def true(claim: Claim) -> bool:
            fact, wanted = claim
            actual = truth[fact] if isinstance(fact, int) else moment[fact[0]] < moment[fact[1]]
            return actual == wanted

        wrong: list[object] = [clause for clause in (*self.required, *self.open) if not any(map(true, clause))]
        wrong += [
            (earlier, later)
            for earlier, later, guard in self.fixed
            if (guard is None or true(guard)) and moment[earlier] >= moment[later]
        ]
        return wrong

    def possible(self) -> bool:
        """By trying everything: is there an order and an assignment that break nothing?"""
        return any(
            not self.broken(list(order), dict(enumerate(values)))
            for order in permutations(range(self.events))
            for values in product((False, True), repeat=self.facts)
        )


class Told:
    """A solver together with the problem that it has been told; both grow by the same steps.

    Statements and events are made when they are first needed, so they come between queries.
    """

    def __init__(self, solver: OrderSolver, problem: OrderProblem) -> None:
        self.solver = solver
        self.problem = problem
        self._facts: dict[int, Statement] = {}
        self._events: dict[int, int] = {}
        self._open: list[int] = []

    def statement(self, claim: Claim) -> Statement:
        fact, wanted = claim
        if isinstance(fact, int):
            if fact not in self._facts:
                self._facts[fact] = self.solver.statement()
            statement = self._facts[fact]
        else:
            statement = self.solver.order(self.event(fact[0]), self.event(fact[1]))
        return statement if wanted else -statement

    def event(self, event: int) -> int:
        if event not in self._events:
            self._events[event] = self.solver.event()
        return self._events[event]

    def require(self, clause: tuple[Claim, ...]) -> None:
        self.problem.required.append(clause)
        self.solver.require([self.statement(claim) for claim in clause])

    def precede(self, earlier: int, later: int, guard: Claim | None = None) -> None:
        self.problem.fixed.append((earlier, later, guard))
        self.solver.precedes(self.event(earlier), self.event(later), self.statement(guard) if guard else 0)

    def open(self, clause: tuple[Claim, ...]) -> None:
        self.problem.open.append(clause)
        self._open.append(self.solver.open_disjunction([self.statement(claim) for claim in clause]))

    def extend(self, which: int, clause: tuple[Claim, ...]) -> None:
        """Extend some open disjunction; open one if there is none yet."""
        if not self._open:
            self.open(())
        which %= len(self._open)
        self.problem.open[which] += clause
        self.solver.extend(self._open[which], [self.statement(claim) for claim in clause])

    def ask(self) -> tuple[list[int], dict[int, bool]] | None:
        """An order of all events and the truth of the free statements; None if the solver says impossible."""
        number = {self.event(event): event for event in range(self.problem.events)}
        facts = [self.statement((fact, True)) for fact in range(self.problem.facts)]
        for _ in range(PATIENCE):
            if not self.solver.propose():
                return None
            order = self.solver.sort(number)
            if order is not None:
                return [number[event] for event in order], dict(enumerate(map(self.solver.holds, facts)))
        raise AssertionError("sort rejects the same assignments again and again")
