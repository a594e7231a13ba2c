"""Which seeds are run: first come, first served ([huang-2016] 2.2, 4.6).

Each seed preserves its parent's prefix, order and all, and keeps of the rest
only what it needs. Two seeds that are permutations of each other lead to the
same class (4.6); that redundancy is removed where a `Closing` is given, which
knows the classes that were seen.

`Closing` knows what was not seen yet: the closed formula of all traces is asked for maximal executions of unseen
values classes. It serves twice.

* Permutable seeds ([huang-2016] 4.6): a seed whose promise only known classes
  keep is not run; where others keep it too, it is continued towards one of them.
* The last word: [huang-2016] 2.3 concludes that no class is missed from asking
  every load of every trace for every other value. But seeds change one trace
  at a time, and what is new may need two changes that no single trace allows
  one after the other (`tests/maximal/test_closing.py` has examples). So in the
  end the formula is asked for an execution that no seed led to; with "there is
  none", all classes were seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from mcr.encoding.proposals import Executions
from mcr.encoding.seed import Candidate
from mcr.executions.equivalence import VALUES, Execution
from mcr.executions.schedule import rehearse, remaining
from mcr.explorers.maximal_causality.enforce import Goal, Seed, promised_by
from mcr.explorers.maximal_causality.query import Solving, Tally
from mcr.explorers.maximal_causality.recording import Observation, Observed, Recording
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import LOCK, Kind
from solvers.interface import OrderSolver


class Closing:
    """The classes that were seen, and the formula that proposes others. The formula is made when it is first asked."""

    def __init__(
        self, unfolding: Unfolding, model: MemoryModel, new_solver: Callable[[], OrderSolver], *, steers: bool
    ) -> None:
        """Without `steers`, seeds are continued in program order, whatever that leads to."""
        self.tally = Tally()
        self._steers = steers
        self._unfolding = unfolding
        self._model = model
        self._new_solver = new_solver
        self._executions: Executions | None = None
        self._seen: list[Execution] = []

    def exclude(self, execution: Execution) -> None:
        """Take note of the class of an execution that came to its end; it was not excluded before."""
        self._seen.append(execution)

    def may_be_new(self, promise: Iterable[Goal]) -> bool:
        """Whether an execution of an unseen class reads these values at these local states."""
        return _reads_something_new(promise) or self.propose(promise) is not None

    def continued(self, seed: Seed) -> Seed | None:
        """The seed, and after it whatever leads to an unseen class; None if no such class keeps its promise.

        Where its order of events does not lead there, it takes another one that keeps the promise.
        """
        if _reads_something_new(seed.promised):
            return seed
        choices = self.propose(seed.promised)
        if choices is None:
            return None
        return replace(seed, choices=tuple(self._continuation(seed.choices, choices))) if self._steers else seed

    def _continuation(self, seed: Sequence[Choice], proposed: Sequence[Choice]) -> Sequence[Choice]:
        """The choices of a seed continued to where a proposed schedule leads, or to anything else that is new."""
        whole = [*seed, *remaining(proposed, seed)]
        found = rehearse(self._unfolding, self._model, whole)
        if found.new is not None:
            return whole[: found.played + 1]
        target = rehearse(self._unfolding, self._model, proposed)
        if found == (target.states, len(whole), None):
            return whole
        if not _is_update(target.new):
            return proposed
        # Nobody knows what an update will write that reads something new; so it must be the last step.
        later = [*proposed[: target.played], *proposed[target.played + 1 :], proposed[target.played]]
        found = rehearse(self._unfolding, self._model, later)
        return later if found.new is not None and found.played == len(later) - 1 else seed

    def propose(self, promise: Iterable[Goal] = ()) -> list[Choice] | None:
        """The schedule of an execution of an unseen class that keeps a promise; None if there is none.

        If it would read something new, the schedule ends there. The promise is of values that are known at
        their local states.
        """
        executions = self._grown()
        through = _last(state.edges[value].after for state, value in promise)
        choices = None
        while choices is None and (candidate := self._ask(executions, through)) is not None:
            choices = executions.schedule(candidate, through)
            self.tally.cycles += choices is None
        return choices

    def _ask(self, executions: Executions, through: list[State]) -> Candidate | None:
        started = time.perf_counter()
        self.tally.proposals += 1
        try:
            return executions.propose(through)
        finally:
            self.tally.solving += time.perf_counter() - started

    def _grown(self) -> Executions:
        """The formula with all that was seen."""
        started = time.perf_counter()
        if self._executions is None:
            self._executions = Executions(self._unfolding, self._model, self._new_solver(), final=True)
        self._executions.grow()
        for execution in self._seen:
            self._executions.exclude(execution, VALUES)
        self._seen.clear()
        self.tally.encoding += time.perf_counter() - started
        return self._executions


def _last(states: Iterable[State]) -> list[State]:
    """The deepest of some states of each thread: it implies the others."""
    found: dict[int, State] = {}
    for state in states:
        known = found.get(state.thread)
        if known is None or known.depth < state.depth:
            found[state.thread] = state
    return list(found.values())


def _reads_something_new(promise: Iterable[Goal]) -> bool:
    return any(value not in state.edges for state, value in promise)


def _is_update(state: State | None) -> bool:
    return state is not None and state.operation is not None and state.operation.kind is Kind.UPDATE


@dataclass(frozen=True)
class Question:
    """Whether a trace can be changed so that a load reads another value, the frozen prefix kept."""

    trace: Observation
    frozen: tuple[Observed, ...]
    goal: Goal
    depth_first: ClassVar[bool] = False

    @property
    def promise(self) -> tuple[Goal, ...]:
        """What the frozen prefix reads."""
        return promised_by(self.frozen)


class Published:
    """Raises the questions of traces, and answers them with seeds.

    skipped  questions and seeds that could only have led to known classes
    """

    def __init__(self, solving: Solving, closing: Closing | None = None) -> None:
        self.skipped = 0
        self._solving = solving
        self._closing = closing
        self._known: set[object] = set()

    def questions(self, seed: Seed, execution: Recording) -> Iterator[Question]:
        """Every load that the seed does not freeze, and every other value."""
        trace = execution.observation()
        frozen = tuple(trace.event_at(event.before) for event in seed.events)
        for goal in _goals(seed, trace, execution.machine):
            yield Question(trace, frozen, goal)

    def answer(self, question: Question) -> Seed | None:
        """The seed to run; None if there is none, or only such as lead to known classes."""
        if self._closing is not None and not self._closing.may_be_new((*question.promise, question.goal)):
            self.skipped += 1
            return None
        seed = self._solving.seed(question.trace, question.goal, question.frozen)
        if seed is None:
            return None
        chosen = self._repeated(seed) if self._closing is None else self._closing.continued(seed)
        self.skipped += chosen is None
        return chosen

    def _repeated(self, seed: Seed) -> Seed | None:
        """None if an earlier seed made the same promise."""
        promise = frozenset(seed.promised)
        if promise in self._known:
            return None
        self._known.add(promise)
        return seed


def _goals(seed: Seed, trace: Observation, machine: Machine) -> Iterator[Goal]:
    """Loads that a seed does not freeze, and those that wait for what will not come, with every other value."""
    promised = {state for state, _ in seed.promised}
    values = trace.reads()
    loads = (state for state in values if state not in promised and not is_determined(state))
    stuck = (s for s in machine.states if s.reads and s.operation is not None and s.operation.kind is not Kind.START)
    for state in (*loads, *stuck):
        known = (values[state],) if state in values else ()
        for value in trace.other_values(state, known):
            yield state, value


def is_determined(state: State) -> bool:
    """Whether the state's operation can read one value only, if it executes at all."""
    assert state.operation is not None
    return state.operation.called in _DETERMINED


_DETERMINED = frozenset({Kind.START.value, Kind.JOIN.value, LOCK})
