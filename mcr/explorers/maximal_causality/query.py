"""One question to the solver: a prefix in which some loads read other values, or the proof that there is none."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from mcr.explorers.maximal_causality.constraints import EventId
from mcr.explorers.maximal_causality.enforce import Goal, Seed, seed_of
from mcr.explorers.maximal_causality.formula import TraceFormula
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.program_order import ProgramOrder
from replay.machine.state import LocationId
from replay.world.operation import Kind
from solvers.interface import Check, Statement, unchecked
from solvers.registry import make_solver


@dataclass
class Tally:
    """What the solver did, in questions, proposals and seconds."""

    asked: int = 0
    satisfiable: int = 0
    proposals: int = 0
    cycles: int = 0
    solving: float = 0.0
    encoding: float = 0.0


class Solving:
    """Asks one kind of solver."""

    def __init__(self, order: ProgramOrder, solver: str, check: Check = unchecked) -> None:
        self.order = order
        self.tally = Tally()
        self._solver = solver
        self._check = check
        self._latest: tuple[Observation, tuple[Observed, ...], TraceFormula] | None = None

    def seed(self, observed: Observation, goal: Goal, frozen: tuple[Observed, ...] = ()) -> Seed | None:
        """A seed that makes the goal's state read its value and keeps the frozen prefix; None if there is none."""
        prefix = self.shortest_prefix(observed, goal, frozen)
        return None if prefix is None else seed_of(observed.retargeted(*goal), prefix, self.order.model)

    def shortest_prefix(
        self, observed: Observation, wanted: Goal, frozen: tuple[Observed, ...] = ()
    ) -> list[Observed] | None:
        """The events of a seed, ordered: no prefix that is part of this one satisfies the goal. None if none does.

        They are events of the trace, but for the goal's; the frozen prefix, given in its order, is kept.
        """
        self._check()
        self.tally.asked += 1
        started = time.perf_counter()
        trace, formula, goal = self._encode(observed, wanted, frozen)
        assumed = formula.goal(goal)
        self.tally.encoding += time.perf_counter() - started
        needs = Needs(trace, self.order, (*frozen, goal))
        found = self._propose(formula, assumed)
        prefix = None
        while found is not None:
            prefix = needs.part_of(found)
            optional = [event for event in prefix if event.id not in needs.forced]
            if not optional:
                break
            found = self._propose(formula, [*assumed, *formula.smaller(prefix, optional)])
        self.tally.satisfiable += prefix is not None
        return prefix and [goal if event.id == goal.id else event for event in prefix]

    def _encode(
        self, trace: Observation, goal: Goal, frozen: tuple[Observed, ...]
    ) -> tuple[Observation, TraceFormula, Observed]:
        """The trace, its formula, and the goal as an event of it."""
        state, value = goal
        if state in trace and state.operation is not None and state.operation.kind is not Kind.UPDATE:
            return trace, self._formula(trace, frozen), trace.event_at(state)._replace(read=value)
        changed = trace.retargeted(*goal)  # what the goal writes changes too, or it was blocked to the end of the trace
        return changed, self._new_formula(changed, frozen), changed.event_at(state)

    def _formula(self, trace: Observation, frozen: tuple[Observed, ...]) -> TraceFormula:
        """The formula of a trace; that of the latest one is kept, as the next goal mostly has it too."""
        latest = self._latest
        if latest is None or latest[0] is not trace or latest[1] != frozen:
            latest = self._latest = trace, frozen, self._new_formula(trace, frozen)
        return latest[2]

    def _new_formula(self, trace: Observation, frozen: tuple[Observed, ...]) -> TraceFormula:
        return TraceFormula(make_solver(self._solver, self._check), trace, self.order, frozen)

    def _propose(self, formula: TraceFormula, assumed: list[Statement]) -> list[Observed] | None:
        started = time.perf_counter()
        found = None
        while found is None:
            self.tally.proposals += 1
            if not formula.propose(assumed):
                break
            found = formula.prefix()
            self.tally.cycles += found is None
        self.tally.solving += time.perf_counter() - started
        return found


class Needs:
    """What some events of a trace need (docs/semantics.md 5).

    forced  the events, and what precedes them in program order
    """

    def __init__(self, trace: Observation, order: ProgramOrder, events: Sequence[Observed]) -> None:
        self._trace = trace
        self._order = order
        self._events = events
        self.forced = self._closure({})

    def part_of(self, prefix: list[Observed]) -> list[Observed]:
        """The part of an ordered prefix that the events depend on, through program order and reads-from."""
        needed = self._closure(sources_in(self._trace, prefix))
        return [event for event in prefix if event.id in needed]

    def _closure(self, sources: dict[EventId, list[Observed]]) -> dict[EventId, None]:
        needed: dict[EventId, None] = {}
        todo = list(self._events)
        while todo:
            event = todo.pop()
            if event.id in needed:
                continue
            needed[event.id] = None
            before = self._order.before(event.before)
            todo.extend(self._trace.threads[event.thread][depth] for depth in (*before.memory, *before.sync))
            todo.extend(sources.get(event.id, ()))
        return needed


def sources_in(trace: Observation, prefix: list[Observed]) -> dict[int, list[Observed]]:
    """For each event of an ordered prefix the events of other threads, and the commits, that it reads from."""
    memory: dict[LocationId, Observed] = {}
    committed: set[int] = set()
    found: dict[int, list[Observed]] = {}
    for event in prefix:
        if event.before.reads:
            own = _own_store(trace, event)
            if own is None or own.id in committed:
                sources = [source for source in (own, memory.get(event.before.loc)) if source is not None]
                found[event.id] = sources
        elif event.kind is Kind.FINAL:
            found[event.id] = [e for e in prefix if e.kind is None and e.thread != event.thread]
        if event.wrote >= 0:
            memory[trace.location(event)] = event
            committed.add(event.id)
    return found


def _own_store(trace: Observation, reader: Observed) -> Observed | None:
    """The plain store by which the reader's own thread hides memory from it until it commits."""
    for earlier in reversed(trace.threads[reader.thread][: reader.depth]):
        if earlier.before.loc == reader.before.loc and earlier.wrote >= 0:
            return earlier if earlier.is_store else None
    return None
