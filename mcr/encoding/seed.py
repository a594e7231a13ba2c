"""From an assignment to a schedule: the causal past of a goal, in an executable order (docs/semantics.md 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcr.encoding.communication import Slot
from mcr.encoding.formula import Formula, asks
from mcr.executions.schedule import schedule
from replay.errors import InternalError
from replay.machine.machine import Choice, make_choice
from replay.machine.state import NOTHING, State
from replay.world.memory_model import Access
from replay.world.operation import Kind
from solvers.interface import Event


class Candidate:
    """The states that each thread passes under an assignment, and its goal, if any.

    paths[t]  states of thread t from its root to the last one it reaches
    goals     the threads whose next operation reads what it never read before
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.paths: list[list[State]] = []
        self.goals: list[int] = []
        for info in formula.unfolding.threads:
            path = self._path(info.root)
            self.paths.append(path)
            goal = formula.goal(path[-1])
            if goal is not None and formula.solver.holds(goal):
                self.goals.append(info.index)

    def slots(self, thread: int) -> list[Slot]:
        """The slots of the operations that a thread executes, its goal included."""
        slot_of = self.formula.slot_of
        return [slot for state in self.paths[thread] if (slot := slot_of[state.number]) is not None]

    def source(self, slot: Slot) -> Slot | None:
        """Returns the slot from which the slot reads; None for the initial value."""
        for source, reads_from in slot.sources:
            if self.formula.solver.holds(reads_from):
                return source
        raise InternalError("a read without a source")

    def choice(self, state: State) -> int:
        """The value that a CHOOSE operation takes, NOTHING for other operations."""
        if not state.inputs:
            return NOTHING
        slot = self.formula.slot(state)
        holds = self.formula.solver.holds
        return next(value for value, statement in slot.values.items() if holds(statement))

    def _path(self, root: State) -> list[State]:
        holds, formula = self.formula.solver.holds, self.formula
        known = len(formula.executed)  # where the final function is left out, it may have grown unnoticed
        path = [root]
        following: State | None = root
        while following is not None:
            steps = (edge for edge in path[-1].edges.values() if edge.after.number < known)
            following = next((edge.after for edge in steps if holds(formula.taken(edge))), None)
            if following is not None:
                path.append(following)
        return path


class GoalPast:
    """The closure of goals, and of local states to be passed, under what they depend on (docs/semantics.md 5).

    executed[t]  how many operations of thread t belong to it
    events       its events as (thread, depth): everything executed, except
                 stores that need not have committed
    """

    def __init__(self, candidate: Candidate, goals: Sequence[int], through: Iterable[State] = ()) -> None:
        self.executed = [0] * len(candidate.paths)
        self.events: dict[Event, tuple[int, int]] = {}
        self._candidate = candidate
        self._keeps = candidate.formula.model.keeps
        self._slots = [candidate.slots(thread) for thread in range(len(candidate.paths))]
        self._todo: list[Slot] = []
        for thread in goals:
            end = candidate.paths[thread][-1]
            self._execute(thread, end.depth + asks(end))
        for state in through:
            self._execute(state.thread, state.depth)
        self._close()

    @classmethod
    def everything(cls, candidate: Candidate) -> GoalPast:
        """All that the candidate does, every store committed."""
        past = cls(candidate, ())
        for thread, path in enumerate(candidate.paths):
            past._execute(thread, len(path) - 1)
            for slot in past._slots[thread][: len(path) - 1]:
                if slot.access is not Access.LOCAL:
                    past._keep(slot)
        past._close()
        return past

    @classmethod
    def of_events(cls, candidate: Candidate, slots: Iterable[Slot]) -> GoalPast:
        """Returns these events, and all on which they depend."""
        past = cls(candidate, ())
        for slot in slots:
            past._keep(slot)
        past._close()
        return past

    def schedule(self, order: Sequence[Event]) -> list[Choice]:
        """Choices that drive the machine through the past, its events in the given order."""
        candidate = self._candidate
        runs = [
            [make_choice(thread, NOTHING, candidate.choice(state)) for state in candidate.paths[thread][:count]]
            for thread, count in enumerate(self.executed)
        ]
        places = (self.events[event] for event in order)
        states = (candidate.paths[thread][depth] for thread, depth in places)
        return schedule(runs, states, candidate.formula.model)

    def _close(self) -> None:
        while self._todo:
            self._explain(self._todo.pop())

    def _execute(self, thread: int, count: int) -> None:
        """Thread `thread` executes its first `count` operations; its stores may stay in the buffer."""
        for slot in self._slots[thread][self.executed[thread] : count]:
            if slot.access in (Access.LOAD, Access.BARRIER):
                self._keep(slot)
        self.executed[thread] = max(self.executed[thread], count)

    def _keep(self, slot: Slot) -> None:
        """The slot's event happens: a load or barrier executes, a store commits."""
        if slot.event not in self.events:
            self.events[slot.event] = (slot.thread, slot.depth)
            self._todo.append(slot)

    def _explain(self, slot: Slot) -> None:
        """Keep what an event depends on."""
        is_end = slot.kind is None
        self._execute(slot.thread, slot.depth if is_end else slot.depth + 1)
        for earlier in self._stores_before(slot):
            if self._keeps(earlier.access, slot.access, earlier.where, slot.where):
                self._keep(earlier)
        if slot.reads:
            self._explain_read(slot)
        elif slot.kind is Kind.FINAL:
            holds = self._candidate.formula.solver.holds
            for end in self._candidate.formula.endings.slots():
                if holds(end.done):
                    self._keep(end)

    def _explain_read(self, slot: Slot) -> None:
        source = self._candidate.source(slot)
        if source is None or source.thread == slot.thread:
            return
        self._keep(source)
        for earlier in self._stores_before(slot):
            if earlier.loc == slot.loc:
                self._keep(earlier)

    def _stores_before(self, slot: Slot) -> list[Slot]:
        """Earlier stores and store fences of the slot's thread."""
        return [
            earlier
            for earlier in self._slots[slot.thread][: slot.depth]
            if earlier.access in (Access.STORE, Access.STORE_BARRIER)
        ]
