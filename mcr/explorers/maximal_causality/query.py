"""One question to the solver: a prefix in which some loads read other values, or the proof that there is none.

`TraceFormula` is the formula of one trace inside a solver, its constraints as statements and orders ([huang-2016] 2.3):

    Phi = Phi_mhb and Phi_lock and Phi_validity and Phi_state, and the frozen prefix (2.2)
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from mcr.exploration.verdict import Statistics
from mcr.explorers.maximal_causality.phi import (
    Absent,
    Before,
    Conjunction,
    Constraint,
    Disjunction,
    EventId,
    Happens,
    ProgramOrder,
    any_of,
    is_data_read,
    phi_lock,
    phi_mem,
    phi_prefix,
    phi_read,
    phi_sync,
    phi_value,
)
from mcr.explorers.maximal_causality.recording import Goal, Observation, Observed, Seed, seed_of
from replay.machine.state import LocationId
from replay.world.operation import Kind
from replay.world.values import ValueId
from solvers.interface import Check, OrderSolver, Statement, unchecked
from solvers.registry import make_solver

Literal = Statement | bool
"""A statement, or a truth that is known beforehand."""


class Translation:
    """One trace's constraints inside one solver.

    The solver's own preference is to leave a statement false. Orders are
    therefore asked for the other way round than the trace has them, so that
    whatever a goal leaves open stays as it was observed and cycles are rare.
    """

    def __init__(self, solver: OrderSolver, trace: Observation) -> None:
        self.solver = solver
        self._trace = trace
        self._events = {number: solver.event() for number in trace.events}
        self._numbers = {event: number for number, event in self._events.items()}
        self._happens = {number: solver.statement() for number in trace.events}
        self._fixed: dict[EventId, int] = dict.fromkeys(trace.events, 0)

    def fix(self, *conjunctions: Conjunction) -> None:
        """Require orders that must hold, to be called once and before `require`.

        What must come before an event must happen if the event does (2.3: feasibility).
        """
        direct: dict[EventId, list[EventId]] = {}
        for constraint in (part for conjunction in conjunctions for part in conjunction.parts):
            if isinstance(constraint, Before):
                direct.setdefault(constraint.second, []).append(constraint.first)
            else:
                self.require(constraint)
        for event in sorted(self._trace.events.values(), key=lambda e: e.moment):
            for earlier in direct.get(event.id, ()):
                self._fixed[event.id] |= self._fixed[earlier] | 1 << earlier
                self.solver.precedes(self._events[earlier], self._events[event.id])
                self.solver.require((-self._happens[event.id], self._happens[earlier]))

    def require(self, constraint: Constraint, unless: tuple[Statement, ...] = ()) -> None:
        """Require a constraint, or else one of the given statements."""
        match constraint:
            case Conjunction(parts):
                for part in parts:
                    self.require(part, unless)
            case Disjunction(parts):
                self._clause([*unless, *map(self._literal, parts)])
            case _:
                self._clause([*unless, self._literal(constraint)])

    def _clause(self, literals: list[Literal]) -> None:
        if not any(literal is True for literal in literals):
            self.solver.require([literal for literal in literals if literal is not False])

    def _literal(self, constraint: Constraint) -> Literal:
        match constraint:
            case Before(first, second):
                return self._order(first, second)
            case _:
                return self.name(constraint)

    def name(self, constraint: Constraint) -> Statement:
        """A statement that implies the constraint."""
        match constraint:
            case Happens(event):
                return self._happens[event]
            case Absent(event):
                return -self._happens[event]
            case _:
                name = self.solver.statement()
                self.require(constraint, (-name,))
                return name

    def _order(self, first: EventId, second: EventId) -> Literal:
        if self._fixed[second] >> first & 1:
            return True
        if self._fixed[first] >> second & 1:
            return False
        events, moments = self._events, self._trace.events
        if moments[first].moment < moments[second].moment:
            return -self.solver.order(events[second], events[first])
        return self.solver.order(events[first], events[second])

    def propose(self, assumed: Sequence[Statement] = ()) -> bool:
        """Find an assignment; its order is unchecked."""
        return self.solver.propose(assuming=assumed)

    def prefix(self) -> list[Observed] | None:
        """The events that happen in the proposed assignment, in its order; None if that is a cycle."""
        holds = self.solver.holds
        happening = [self._events[number] for number, statement in self._happens.items() if holds(statement)]
        order = self.solver.sort(happening)
        return None if order is None else [self._trace.events[self._numbers[event]] for event in order]


class TraceFormula(Translation):
    """The formula of one trace and its frozen prefix, to which goals are put one after the other (2.3).

    Only Phi_state, and which read Phi_validity exempts, differ from goal to goal:
    what belongs to one of them holds under statements that are assumed while it is asked about.
    """

    def __init__(
        self, solver: OrderSolver, trace: Observation, order: ProgramOrder, frozen: Sequence[Observed]
    ) -> None:
        super().__init__(solver, trace)
        self.fix(phi_mem(trace, order), phi_sync(trace, order))
        self.require(phi_lock(trace))
        self.require(phi_prefix(frozen))
        self._exempt: dict[EventId, Statement] = {}
        self._reads: dict[tuple[EventId, ValueId], Statement] = {}
        for event in trace.events.values():
            if is_data_read(trace, event):
                self._exempt[event.id] = solver.statement()
                self.require(phi_read(trace, event, brief=True), (self._exempt[event.id],))

    def goal(self, event: Observed) -> list[Statement]:
        """Returns assumptions that make an event of the trace, with the value read that it has here, the goal.

        It happens, and its thread stops after it.
        """
        exempt = (statement if number == event.id else -statement for number, statement in self._exempt.items())
        following = self._trace.threads[event.thread][event.depth + 1 :]
        stops = (self.name(Absent(later.id)) for later in following)
        assumed = [*exempt, *stops, self.name(Happens(event.id))]
        if event.id in self._exempt:
            assumed.append(self._reads_value(event))
        return assumed

    def _reads_value(self, event: Observed) -> Statement:
        known = self._reads.get((event.id, event.read))
        if known is None:
            known = self.name(phi_value(self._trace, event, brief=True))
            self._reads[event.id, event.read] = known
        return known

    def smaller(self, events: Sequence[Observed], optional: Sequence[Observed]) -> list[Statement]:
        """Returns assumptions by which only some events happen, and not all of the optional ones."""
        kept = {event.id for event in events}
        absent = (self.name(Absent(number)) for number in self._trace.events if number not in kept)
        return [*absent, self.name(any_of(Absent(event.id) for event in optional))]


class Solving:
    """Asks one kind of solver.

    asked        how many goals it was asked for
    satisfiable  for how many of them it found a seed
    """

    def __init__(
        self, order: ProgramOrder, solver: str, check: Check = unchecked, statistics: Statistics | None = None
    ) -> None:
        self.order = order
        self.asked = 0
        self.satisfiable = 0
        self._solver = solver
        self._check = check
        self._statistics = statistics or Statistics()
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
        self.asked += 1
        started = time.perf_counter()
        trace, formula, goal = self._encode(observed, wanted, frozen)
        assumed = formula.goal(goal)
        self._statistics.encoding += time.perf_counter() - started
        needs = Needs(trace, self.order, (*frozen, goal))
        found = self._propose(formula, assumed)
        prefix = None
        while found is not None:
            prefix = needs.part_of(found)
            optional = [event for event in prefix if event.id not in needs.forced]
            if not optional:
                break
            found = self._propose(formula, [*assumed, *formula.smaller(prefix, optional)])
        self.satisfiable += prefix is not None
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
            self._statistics.proposals += 1
            if not formula.propose(assumed):
                break
            found = formula.prefix()
            self._statistics.cycles += found is None
        self._statistics.solving += time.perf_counter() - started
        return found


class Needs:
    """Events that some events of a trace need (docs/semantics.md 5).

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
