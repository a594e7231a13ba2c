"""PySAT behind the solver interface: statements are variables, cycles are forbidden when they show up.

Orders between events are fixed, or decided by statements (`OrderGraph`). Adjacency is kept as Python integers used as
bit sets, so that sorting sixty events costs some tens of microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from solvers.interface import Check, Closings, Event, Statement, unchecked

# The truth of statement s at index s - 1: s if it holds, -s if not.
Model = Sequence[Statement]


def holds(model: Model, statement: Statement) -> bool:
    return model[abs(statement) - 1] == statement


class OrderGraph:
    """Which event precedes which.

    before[e]   bit set of events fixed before e
    guarded[e]  by guard, those that are fixed before e while it holds
    pairs[e]    (other, statement "e before other") for each decided pair, listed at one of the two
    statements  both directions of every decided pair
    """

    def __init__(self) -> None:
        self.before: list[int] = []
        self.guarded: list[dict[Statement, int]] = []
        self.pairs: list[list[tuple[Event, Statement]]] = []
        self.statements: dict[tuple[Event, Event], Statement] = {}

    def add_event(self) -> Event:
        self.before.append(0)
        self.guarded.append({})
        self.pairs.append([])
        return len(self.before) - 1

    def fix(self, earlier: Event, later: Event, guard: Statement) -> None:
        if guard:
            self.guarded[later][guard] = self.guarded[later].get(guard, 0) | 1 << earlier
        else:
            self.before[later] |= 1 << earlier

    def decide(self, first: Event, second: Event, statement: Statement) -> None:
        self.pairs[first].append((second, statement))
        self.statements[first, second] = statement
        self.statements[second, first] = -statement

    def predecessors(self, events: Iterable[Event], model: Model) -> dict[Event, int]:
        """For each given event the bit set of given events before it, under an assignment."""
        found = dict.fromkeys(events, 0)
        given = 0
        for event in found:
            given |= 1 << event
        for event in found:
            bit = 1 << event
            found[event] |= self.before[event] & given
            for guard, earlier in self.guarded[event].items():
                if holds(model, guard):
                    found[event] |= earlier & given
            for other, statement in self.pairs[event]:
                if other in found:
                    if model[statement - 1] > 0:
                        found[other] |= bit
                    else:
                        found[event] |= 1 << other
        return found

    def reasons(self, earlier: Event, later: Event, model: Model) -> list[Statement]:
        """Statements that hold and together put `earlier` before `later`; none if that is fixed for good."""
        if self.before[later] >> earlier & 1:
            return []
        for guard, found in self.guarded[later].items():
            if found >> earlier & 1 and holds(model, guard):
                return [guard]
        return [self.statements[earlier, later]]


def topological(predecessors: dict[Event, int]) -> list[Event] | None:
    """The events with all predecessors first, or None if there is a cycle."""
    order: list[Event] = []
    open_mask, done = 0, 0
    for start in predecessors:
        if done >> start & 1:
            continue
        stack = [start]
        open_mask |= 1 << start
        while stack:
            event = stack[-1]
            waiting = predecessors[event] & ~done
            if not waiting:
                stack.pop()
                done |= 1 << event
                open_mask &= ~(1 << event)
                order.append(event)
                continue
            if waiting & open_mask:
                return None
            lowest = waiting & -waiting
            open_mask |= lowest
            stack.append(lowest.bit_length() - 1)
    return order


def shortest_cycle(predecessors: dict[Event, int], start: Event) -> list[Event] | None:
    """A shortest cycle through `start`, each event followed by one that comes after it."""
    reached = {start: start}
    frontier = [start]
    seen = 0
    while frontier:
        following: list[Event] = []
        for event in frontier:
            mask = predecessors[event] & ~seen
            seen |= mask
            while mask:
                lowest = mask & -mask
                mask ^= lowest
                earlier = lowest.bit_length() - 1
                if earlier == start:
                    return _trace(reached, event, start)
                reached[earlier] = event
                following.append(earlier)
        frontier = following
    return None


def _trace(reached: dict[Event, Event], event: Event, start: Event) -> list[Event]:
    cycle = [start]
    while event != start:
        cycle.append(event)
        event = reached[event]
    return cycle


def cycles(predecessors: dict[Event, int]) -> list[list[Event]]:
    """Short cycles, at least one if there is any; no two start at one event."""
    found: list[list[Event]] = []
    covered = 0
    for event in predecessors:
        if covered >> event & 1:
            continue
        cycle = shortest_cycle(predecessors, event)
        if cycle is not None:
            found.append(cycle)
            for member in cycle:
                covered |= 1 << member
    return found


_PATIENCE = 2_000
_USUAL = 10
"""A question counts as hard after so many conflicts, or after a tenth of those that all questions before it took."""

_SLICE = 4_000
"""So many conflicts at a time at most, then Ctrl-C and limits are looked at: a quarter of a second, mostly."""

_LEAST = 50
"""So many at least: solvers begin each slice with a restart. For exp-mem(8), slices of 2,500 cost as much as 20,000."""

_LOADED = 20_000
"""So many clauses at a time, when a fresh solver is given all."""

_REQUIREMENT, _LESSON = 10, 500
"""What it takes to add a requirement, and to find a cycle and forbid it, in propagations."""

_FOR_HARD_QUESTIONS = "cadical153"


class SatSolver(Closings):
    """An incremental SAT solver; orders are checked after the fact, on the events that matter.

    A question that turns out hard goes to a fresh CaDiCaL, which rewrites the
    formula before it searches: exp-mem(7) took 0.43 s instead of 0.68 s. Where
    all questions are hard, as in bakery(4), it helps less than to go on.

    calls, cycles   how often it solved, and how many lessons it took
    """

    _work = 50_000_000
    """Clauses times conflicts in a slice: what a conflict costs grows with the formula. No clock is asked, so that the
    search is the same everywhere."""

    def __init__(self, name: str, check: Check = unchecked) -> None:
        from pysat.solvers import Solver

        super().__init__()
        self.name = name
        self._check = check
        self._solver: Any = Solver(name=name)
        self._add: Callable[[Sequence[Statement]], object] = self._solver.solver.add_clause
        """What `add_clause` of it hands clauses on to: they are many."""
        self._statements = 0
        self._graph = OrderGraph()
        self._model: list[Statement] = []
        self._requirements: list[Sequence[Statement]] = []
        self._elsewhere = 0
        self._hard: Any = None
        """The solver of a hard question without an answer yet: if `check` ended it, the same question goes on there."""
        self._asked: tuple[int, list[Statement]] = (0, [])
        """Which one that is: how many requirements there were, and what was assumed."""
        self.calls = 0
        self.cycles = 0

    @property
    def effort(self) -> int:
        propagations: int = self._solver.accum_stats()["propagations"]
        if self._hard is not None:
            propagations += self._hard.accum_stats()["propagations"]
        around = _REQUIREMENT * len(self._requirements) + _LESSON * self.cycles
        return propagations + self._elsewhere + around

    def statement(self) -> Statement:
        self._statements += 1
        return self._statements

    def require(self, alternatives: Sequence[Statement]) -> None:
        self._requirements.append(alternatives)
        self._add(alternatives)

    def event(self) -> Event:
        return self._graph.add_event()

    def precedes(self, earlier: Event, later: Event, guard: Statement = 0) -> None:
        self._graph.fix(earlier, later, guard)

    def order(self, first: Event, second: Event) -> Statement:
        known = self._graph.statements.get((first, second))
        if known is None:
            known = self.statement()
            self._graph.decide(first, second, known)
        return known

    def propose(self, assuming: Sequence[Statement] = ()) -> bool:
        self.calls += 1
        model = self._solve(self.closed(assuming))
        if model is None:
            return False
        # Statements that no requirement mentions are missing at the end.
        model.extend(range(-len(model) - 1, -self._statements - 1, -1))
        self._model = model
        return True

    def holds(self, statement: Statement) -> bool:
        return holds(self._model, statement)

    def sort(self, events: Iterable[Event]) -> list[Event] | None:
        predecessors = self._graph.predecessors(events, self._model)
        order = topological(predecessors)
        if order is None:
            for cycle in cycles(predecessors):
                self._forbid(cycle)
        return order

    def _solve(self, assumptions: list[Statement]) -> list[Statement] | None:
        """A model, or None if there is none."""
        if self._hard is not None and self._asked == (len(self._requirements), assumptions):
            return self._solve_afresh(assumptions)
        usual = self._solver.accum_stats()["conflicts"] // _USUAL
        answer = self._ask(self._solver, assumptions, max(_PATIENCE, usual))
        if answer is None:
            return self._solve_afresh(assumptions)
        return self._solver.get_model() if answer else None

    def _solve_afresh(self, assumptions: list[Statement]) -> list[Statement] | None:
        asked = len(self._requirements), assumptions
        if self._hard is None or self._asked != asked:
            self._end_hard()
            self._hard, self._asked = self._loaded(assumptions), asked
        model = self._hard.get_model() if self._ask(self._hard, []) else None
        self._end_hard()
        return model

    def _end_hard(self) -> None:
        if self._hard is not None:
            self._elsewhere += self._hard.accum_stats()["propagations"]
            self._hard.delete()
            self._hard = None

    def _loaded(self, assumptions: Iterable[Statement]) -> Any:
        """A fresh solver with all requirements."""
        from pysat.solvers import Solver

        fresh = Solver(name=_FOR_HARD_QUESTIONS)
        for start in range(0, len(self._requirements), _LOADED):
            self._check()
            fresh.append_formula(self._requirements[start : start + _LOADED])
        for assumption in assumptions:
            fresh.add_clause((assumption,))
        return fresh

    def _ask(self, solver: Any, assumptions: list[Statement], patience: float = math.inf) -> bool | None:
        """The answer, or None if it takes more conflicts than `patience`."""
        size = self._slice()
        while patience > 0:
            self._check()
            solver.conf_budget(int(min(patience, size)))
            answer = self._solve_limited(solver, assumptions)
            if answer is not None:
                return answer
            patience -= size
        return None

    def _slice(self) -> int:
        """Conflicts until Ctrl-C and limits are looked at."""
        return min(_SLICE, max(_LEAST, self._work // (len(self._requirements) + 1)))

    def _solve_limited(self, solver: Any, assumptions: list[Statement]) -> bool | None:
        """The answer, or None if it takes more conflicts than the solver was told."""
        with _pysat_leaves_signals_alone():
            answer: bool | None = solver.solve_limited(assumptions)
            return answer

    def _forbid(self, cycle: list[Event]) -> None:
        """Require that some order on the cycle is the other way round, or some guard false."""
        self.cycles += 1
        clause: dict[Statement, None] = {}
        for earlier, later in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            for reason in self._graph.reasons(earlier, later, self._model):
                clause[-reason] = None
        self.require(list(clause))


# -- Ctrl-C ------------------------------------------------------------------------
#
# Ctrl-C while PySAT solves waits until the solver returns, which has to be soon. PySAT's own answer is a jump out of
# the solver, from wherever that is: the heap is then as likely as not in pieces, and the process crashes, or hangs.


@contextmanager
def _pysat_leaves_signals_alone() -> Iterator[None]:
    """PySAT does not handle Ctrl-C; Python does, as soon as the solver has returned.

    Only in the main thread: PySAT handles no signals in others, and what is replaced here is the same for all.
    """
    import pysat.solvers

    asked = pysat.solvers.MainThread
    if not asked.check():
        yield
        return
    pysat.solvers.MainThread = _NotTheMainThread
    try:
        yield
    finally:
        pysat.solvers.MainThread = asked


class _NotTheMainThread:
    """Answers PySAT that it may not handle signals."""

    @staticmethod
    def check() -> bool:
        return False
