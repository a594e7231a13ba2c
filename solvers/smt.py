"""Z3 behind the solver interface: statements are Booleans, events are clocks in difference logic."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from solvers.interface import Check, Closings, Event, Statement, unchecked

_QUESTION = 100
"""What it takes to answer a question for each of its terms, in propagations of a SAT solver."""


class SmtSolver(Closings):
    """Z3 with a theory of orders: what it proposes never has a cycle.

    It is stricter than needed in one respect: *all* events get a moment, also
    those that nobody asks to sort. That excludes nothing in the formulas that
    the checker builds, where an event that is not executed can be placed last.
    """

    name = "z3"

    def __init__(self, check: Check = unchecked) -> None:
        import z3

        super().__init__()
        self._check = check
        self._z3: Any = z3
        # A context of its own makes the answers independent of what other solvers were asked.
        self._context: Any = z3.Context()
        # The plain core, without tactics, and the dense solver for difference logic.
        # Relevancy is a filter for quantifiers; without it the same search takes half the time.
        self._solver: Any = z3.SimpleSolver(self._context)
        self._solver.set("arith.solver", 3)
        self._solver.set("relevancy", 0)
        self._terms: list[Any] = [None]
        self._negated: dict[Statement, Any] = {}
        self._clocks: list[Any] = []
        self._orders: dict[tuple[Event, Event], Statement] = {}
        self._model: Any = None
        self._effort = 0

    def statement(self) -> Statement:
        return self._name(self._z3.Bool(f"s{len(self._terms)}", self._context))

    def require(self, alternatives: Sequence[Statement]) -> None:
        self._assert([self._literal(statement) for statement in alternatives])

    def event(self) -> Event:
        self._clocks.append(self._z3.Int(f"clock{len(self._clocks)}", self._context))
        return len(self._clocks) - 1

    @property
    def effort(self) -> int:
        return self._effort

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        unguarded = [self._literal(-guard)] if guard else []
        self._assert([self._clocks[earlier] < self._clocks[later], *unguarded])

    def order(self, first: Event, second: Event) -> Statement:
        known = self._orders.get((first, second))
        if known is None:
            before, after = self._clocks[first] < self._clocks[second], self._clocks[second] < self._clocks[first]
            known = self._name(before)
            self._orders[first, second] = known
            self._orders[second, first] = -known
            self._assert([before, after])  # never at the same moment
        return known

    def propose(self, assuming: Sequence[Statement] = ()) -> bool:
        self._effort += _QUESTION * len(self._terms)
        assumed = [self._literal(statement) for statement in self.closed(assuming)]
        with _watched(self._check, self._context.interrupt):
            answer = self._solver.check(*assumed)
        if answer == self._z3.unknown:
            # Z3 gives up only when Ctrl-C stops it; that must not pass for a proof.
            raise KeyboardInterrupt(self._solver.reason_unknown())
        if answer == self._z3.unsat:
            return False
        self._model = self._solver.model()
        return True

    def holds(self, statement: Statement) -> bool:
        true = self._z3.is_true(self._model.eval(self._terms[abs(statement)], True))
        return bool(true) == (statement > 0)

    def sort(self, events: Iterable[Event]) -> list[Event]:
        model, clocks = self._model, self._clocks
        return sorted(events, key=lambda event: (model.eval(clocks[event], True).as_long(), event))

    def _name(self, term: Any) -> Statement:
        self._terms.append(term)
        return len(self._terms) - 1

    def _literal(self, statement: Statement) -> Any:
        if statement > 0:
            return self._terms[statement]
        negation = self._negated.get(statement)
        if negation is None:
            negation = self._negated[statement] = self._z3.Not(self._terms[-statement])
        return negation

    def _assert(self, literals: Sequence[Any]) -> None:
        """Require one of the literals, through Z3's C interface: z3.Or and add take ten times as long."""
        z3, context, size = self._z3, self._context.ref(), len(literals)
        terms = (z3.Ast * size)(*[literal.as_ast() for literal in literals])
        z3.Z3_solver_assert(context, self._solver.solver, z3.Z3_mk_or(context, size, terms))


_EVERY = 0.1
"""Seconds between two checks of a solver that calls nobody back."""


@contextmanager
def _watched(check: Check, interrupt: Callable[[], None]) -> Iterator[None]:
    """For solvers that call nobody back: another thread calls `check` meanwhile.

    When that raises something, `interrupt` is to make the solver return; it is raised here then.
    """
    check()
    raised: list[BaseException] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            try:
                check()
            except BaseException as error:
                raised[:] = [error]
                interrupt()

    watcher = threading.Thread(target=watch, name="mcr-solver-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    if raised:
        raise raised[0]
