"""Maximal executions: every thread came to its end, is stuck for good, or reads something new.

Where a thread stands, it goes on: to the known state that the value read
leads to, or, if that value is new there, out of what is known. Only an
operation that waits for something that memory, in the end, does not hold may
stay where it is. Grows with its formula.

`MaximalExecutions` proposes them, one class at a time, while the unfolding becomes known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from mcr.encoding.communication import Slot
from mcr.encoding.formula import Formula
from mcr.encoding.seed import Candidate, GoalPast
from mcr.executions.equivalence import Equivalence, MaximalExecution, OperationId, has_started
from replay.code.terminals import Ended
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId
from solvers.interface import Disjunction, OrderSolver, Statement

Allows = Callable[[ValueId], bool]


class LastWrite:
    """The last write to one location, as far as demands depend on it. Grows with its formula."""

    def __init__(self, formula: Formula, loc: int) -> None:
        solver = self._solver = formula.solver
        self._check = formula.unfolding.check
        self._initial = formula.unfolding.initial[loc]
        self._writers = formula.communication.writers.setdefault(loc, [])
        self._decided = solver.statement()
        self._untouched = solver.statement()
        self._ways = solver.open_disjunction((-self._decided, self._untouched))
        self._last: list[Statement] = []
        self._values: list[list[ValueId]] = []
        self._demands: list[tuple[Statement, Allows]] = []
        self.grow()

    def demand(self, statement: Statement, allows: Allows) -> None:
        """While `statement` holds, the location ends up with a value that `allows` accepts."""
        self._demands.append((statement, allows))
        self._solver.require((-statement, self._decided))
        if not allows(self._initial):
            self._solver.require((-statement, -self._untouched))
        for place, values in enumerate(self._values):
            for value in values:
                self._apply(statement, allows, place, value)

    def grow(self) -> None:
        """Take in new writers, and new values that they write."""
        while len(self._last) < len(self._writers):
            self._check()
            self._add_writer(self._writers[len(self._last)])
        for place, writer in enumerate(self._writers):
            known = self._values[place]
            for value in list(writer.written)[len(known) :]:
                known.append(value)
                for statement, allows in self._demands:
                    self._apply(statement, allows, place, value)

    def _add_writer(self, writer: Slot) -> None:
        """A writer whose write may be the last one."""
        solver = self._solver
        last = solver.statement()
        solver.require((-last, writer.writes))
        solver.require((-self._untouched, -writer.writes))
        for other, other_last in zip(self._writers, self._last, strict=False):
            self._before(other, writer, last)
            self._before(writer, other, other_last)
        self._last.append(last)
        self._values.append([])
        solver.extend(self._ways, (last,))

    def _before(self, other: Slot, writer: Slot, last: Statement) -> None:
        """If the write of `writer` is last, that of `other` is not after it."""
        if other.thread != writer.thread:
            self._solver.require((-last, -other.writes, self._solver.order(other.event, writer.event)))
        elif other.depth > writer.depth:
            self._solver.require((-last, -other.writes))

    def _apply(self, statement: Statement, allows: Allows, place: int, value: ValueId) -> None:
        if not allows(value):
            self._solver.require((-statement, -self._last[place], -self._writers[place].written[value]))


class FinalFunction:
    """Requires that the final function starts when it may. Grows with its formula.

    That it starts only then is the formula's business (`Endings.add_final`).
    """

    def __init__(self, formula: Formula) -> None:
        self._formula = formula
        self._states = 0
        self._starts: Disjunction | None = None
        self._over: dict[int, Statement] = {}

    def grow(self) -> None:
        """Take in what the formula gained."""
        unfolding, executed = self._formula.unfolding, self._formula.executed
        if unfolding.final is None:
            return
        if self._starts is None:
            slot = self._formula.slot(unfolding.final.root)
            self._starts = self._formula.solver.open_disjunction((slot.done,))
        for info in unfolding.threads[len(self._over) :]:
            self._over[info.index] = self._thread_over(info.index)
        for state in unfolding.states[self._states : len(executed)]:
            if isinstance(state.terminal, Ended):
                self._formula.solver.require((-executed[state.number], self._over[state.thread]))
        self._states = len(executed)

    def _thread_over(self, thread: int) -> Statement:
        """A new statement that holds if the thread has ended, or was not started, and that the start waits for."""
        solver, info = self._formula.solver, self._formula.unfolding.threads[thread]
        over = solver.statement()
        assert self._starts is not None
        if info.is_final:
            return over
        solver.extend(self._starts, (-over,))
        if info.root.operation is not None and info.root.operation.kind is Kind.START:
            start = self._formula.slot(info.root)
            solver.require((start.done, over))
        return over


class Maximality:
    """Requires that executions are maximal; with `final`, that the final function runs when it may."""

    def __init__(self, formula: Formula, *, final: bool = False) -> None:
        self._formula = formula
        self._final = FinalFunction(formula) if final else None
        self._solver = formula.solver
        self._states = 0
        self._edges = 0
        self._spawns = 0
        self._ends: dict[int, list[State]] = {}
        self._stuck: dict[Slot, Statement] = {}
        self._last: dict[int, LastWrite] = {}

    def grow(self) -> None:
        """Take in what the formula gained."""
        states, edges = self._formula.unfolding.states, self._formula.unfolding.edges
        threads = self._formula.unfolding.threads
        while self._states < len(self._formula.executed):
            state = states[self._states]
            self._states += 1
            if self._final is not None or not threads[state.thread].is_final:
                self._add(state)
        for edge in edges[self._edges :]:
            if edge.joins and (self._final is not None or not threads[edge.after.thread].is_final):
                self._leads_to(edge)
        self._edges = len(edges)
        if self._final is not None:
            self._final.grow()
        self._add_spawns()
        self._add_ends()
        for last in self._last.values():
            last.grow()

    def stuck(self, state: State) -> Statement:
        """The statement that the operation at `state` is never ready; implies nothing about who is there."""
        slot = self._formula.slot(state)
        known = self._stuck.get(slot)
        if known is None:
            assert slot.ready is not None
            ready, values = slot.ready, self._formula.unfolding.values
            known = self._stuck[slot] = self._solver.statement()
            self._solver.require((-known, -slot.done))
            self.last_write(slot.loc).demand(known, lambda value: not ready(values[value]))
        return known

    def last_write(self, loc: int) -> LastWrite:
        """Returns what a location holds in the end."""
        known = self._last.get(loc)
        if known is None:
            known = self._last[loc] = LastWrite(self._formula, loc)
        return known

    def _add(self, state: State) -> None:
        if state.entries:
            self._leads_to(state.entry)
        if state.operation is not None:
            self._goes_on(state)
        elif isinstance(state.terminal, Ended):
            self._ends.setdefault(state.thread, []).append(state)

    def _leads_to(self, edge: Edge) -> None:
        """A thread that is at a state, and reads there what a step reads, takes that step."""
        before = edge.before
        executed, slot = self._formula.executed, self._formula.slot(before)
        conditions = [-executed[before.number]]
        if edge.read != NOTHING:
            conditions += [-slot.done, -slot.values[edge.read]]
        elif slot.kind is Kind.FINAL:
            conditions.append(-slot.done)
        self._solver.require((*conditions, self._formula.taken(edge)))

    def _goes_on(self, state: State) -> None:
        """A thread that is at a state which reads executes the operation, or is stuck there."""
        slot = self._formula.slot(state)
        if slot.kind is Kind.START:
            return
        ways = [slot.done] if slot.reads or slot.kind is Kind.CHOOSE else []
        if slot.ready is not None:
            ways.append(self.stuck(state))
        if ways:
            self._solver.require((-self._formula.executed[state.number], *ways))

    def _add_spawns(self) -> None:
        """Threads that were spawned start."""
        spawns = self._formula.endings.spawns
        for spawn in spawns[self._spawns :]:
            root = self._formula.unfolding.threads[spawn.child].root
            start = self._formula.slot(root)
            self._solver.require((-spawn.done, start.done))
        self._spawns = len(spawns)

    def _add_ends(self) -> None:
        """A thread that returned has ended, with its stores in memory, so that joins do not wait for it."""
        endings = self._formula.endings
        for thread in [thread for thread in self._ends if endings.awaits(thread)]:
            for state in self._ends.pop(thread):
                ended = endings.ended(state)
                assert ended is not None
                self._solver.require((-self._formula.executed[state.number], ended))


class MaximalExecutions:
    """Proposes maximal executions; each class can be excluded once it was seen.

    Among them are those in which threads read something new: playing one of
    them shows new states, and belongs to a class that was not seen either.
    """

    def __init__(
        self,
        unfolding: Unfolding,
        model: MemoryModel,
        solver: OrderSolver,
        *,
        one_source: bool = False,
        final: bool = False,
    ) -> None:
        """With `one_source`, a read has one source even where two stores have the same value.

        With `final`, the final function is part of the executions.
        """
        self.solver = solver
        self.formula = Formula(unfolding, model, solver, goals=False, final=final)
        self.maximality = Maximality(self.formula, final=final)
        self._one_source = one_source
        self._sources: dict[Slot, int] = {}

    def grow(self) -> None:
        """Take in all states that the unfolding gained."""
        self.formula.grow()
        self.maximality.grow()
        if self._one_source:
            self._require_one_source()

    def _require_one_source(self) -> None:
        for readers in self.formula.communication.readers.values():
            for reader in readers:
                self.formula.unfolding.check()
                statements = [reads_from for _, reads_from in reader.sources]
                known = self._sources.get(reader, 0)
                for number in range(known, len(statements)):
                    for other in statements[:number]:
                        self.solver.require((-statements[number], -other))
                self._sources[reader] = len(statements)

    def propose(self, through: Iterable[State] = ()) -> Candidate | None:
        """A maximal execution that is not excluded, its orders unchecked; None if there is none.

        through  local states that it must pass, all of them known when it grew last
        """
        passed = [self.formula.executed[state.number] for state in through]
        return Candidate(self.formula) if self.solver.propose(passed) else None

    def schedule(self, candidate: Candidate, through: Iterable[State] = ()) -> list[Choice] | None:
        """The schedule of a proposed execution; None if its orders have a cycle, so propose anew.

        Where something new is read, it ends there: what an update writes then, nobody knows yet.
        """
        past = GoalPast(candidate, candidate.goals[:1], through) if candidate.goals else GoalPast.everything(candidate)
        order = self.solver.sort(past.events)
        return None if order is None else past.schedule(order)

    def exclude(self, execution: MaximalExecution, equivalence: Equivalence) -> None:
        """Never again propose an execution of this one's class."""
        self.solver.require([-statement for statement in self._description(execution, equivalence)])

    def _description(self, execution: MaximalExecution, equivalence: Equivalence) -> Iterator[Statement]:
        """Statements that hold together exactly in the executions of one class."""
        paths = {end.thread: end.path() for end in execution.ends}
        for end in execution.ends:
            if not has_started(end):
                continue
            yield self.formula.executed[end.number]
            if end.operation is not None:
                yield self.maximality.stuck(end)
        if equivalence.sources:
            for reader, source in execution.sources.items():
                yield _reads_from(self._slot(paths, reader), source and self._slot(paths, source))
        if equivalence.coherence:
            for order in execution.coherence.values():
                for first, second in pairwise(order):
                    if first[0] != second[0]:
                        yield self.solver.order(self._slot(paths, first).event, self._slot(paths, second).event)

    def _slot(self, paths: dict[int, list[State]], place: OperationId) -> Slot:
        thread, depth = place
        slot = self.formula.slot_of[paths[thread][depth].number] or self.formula.endings.slot(thread, depth)
        assert slot is not None
        return slot


def _reads_from(reader: Slot, source: Slot | None) -> Statement:
    return next(statement for slot, statement in reader.sources if slot is source)
