"""Which (load, other value) pairs a trace gives rise to, and their queries ([huang-2016] 2.3, Phi_state)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mcr.explorers.maximal_causality.enforce import Seed, seed_of
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.query import Goal, Query, Solving
from replay.machine.state import NOTHING, State
from replay.world.memory_model import MemoryModel
from replay.world.operation import LOCK, Kind
from replay.world.values import ValueId

_DETERMINED = frozenset({Kind.START.value, Kind.JOIN.value, LOCK})
"""What can read one value only, if it executes at all."""


def reads(trace: Observation) -> dict[State, ValueId]:
    """What was read or chosen, in the order of execution, and at which local state."""
    return {event.before: event.read for event in trace.events.values() if event.read != NOTHING}


def is_determined(state: State) -> bool:
    assert state.operation is not None
    return state.operation.called in _DETERMINED


def other_values(trace: Observation, state: State, known: Iterable[ValueId]) -> list[ValueId]:
    """The values that `state`'s operation might read: initial, or written by anyone but itself and what follows it."""
    unfolding = trace.unfolding
    if state.inputs:
        values: Iterable[ValueId] = state.inputs
    else:
        writes = trace.writes.get(state.loc, ())
        before = (w.wrote for w in writes if w.thread != state.thread or w.depth < state.depth)
        values = (trace.initial(state.loc), *before)
    return [v for v in dict.fromkeys(values) if v not in known and unfolding.accepts(state, v)]


class Asker:
    """Turns questions about a trace into queries, and their answers into seeds."""

    def __init__(self, solving: Solving, model: MemoryModel, on_question: Callable[[], None] = lambda: None) -> None:
        self._solving = solving
        self._model = model
        self._on_question = on_question

    def ask(self, trace: Observation, goal: Goal, frozen: tuple[Observed, ...]) -> Seed | None:
        """A seed that makes the goal's state read its value and keeps the frozen prefix; None if there is none."""
        self._on_question()
        query = Query(trace, goal, frozen)
        prefix = self._solving.shortest_prefix(query)
        return None if prefix is None else seed_of(query.changed(), prefix, self._model)
