"""Which seeds are run: first come, first served ([huang-2016] 2.2, 4.6).

Each seed preserves its parent's prefix, order and all, and keeps of the rest
only what it needs. Two seeds that are permutations of each other lead to the
same class (4.6); that redundancy is removed where a `Closing` is given, which
knows the classes that were seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.explorers.maximal_causality.closing import Closing
from mcr.explorers.maximal_causality.enforce import Goal, Seed, promised_by
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.recording import Recording
from replay.machine.machine import Machine
from replay.machine.state import State
from replay.world.operation import LOCK, Kind


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
