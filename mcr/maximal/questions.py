"""Which (load, other value) pairs a trace gives rise to, and their queries ([huang-2016] 2.3, Phi_state)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from mcr.maximal.enforce import Seed, schedule
from mcr.maximal.observation import Event, Observation, accepts
from mcr.maximal.query import Query, Solving
from mcr.maximal.stuck import may_get_stuck
from replay.memory_model import MemoryModel
from replay.operation import UPDATES, Kind
from replay.state import NOTHING, State
from replay.values import ValueId

Goal = tuple[State, ValueId]
"""A local state, and the value that its operation is to read."""

STUCK: ValueId = NOTHING
"""Stands for the value of an operation that was blocked to the end of the trace."""

_DETERMINED = frozenset({Kind.START, Kind.JOIN, Kind.LOCK})
"""Kinds that can read one value only, if they execute at all."""


def reads(trace: Observation) -> dict[State, ValueId]:
    """What was read or chosen, in the order of execution, and at which local state."""
    return {event.before: event.read for event in trace.events.values() if event.read != NOTHING}


def is_determined(state: State) -> bool:
    assert state.operation is not None
    return state.operation.kind in _DETERMINED


def other_values(trace: Observation, state: State, known: Iterable[ValueId]) -> list[ValueId]:
    """The values that `state`'s operation might read: initial, or written by anyone but itself and what follows it."""
    unfolding = trace.unfolding
    if state.inputs:
        values: Iterable[ValueId] = state.inputs
    else:
        writes = trace.writes.get(state.loc, ())
        before = (w.wrote for w in writes if w.thread != state.thread or w.depth < state.depth)
        values = (trace.initial(state.loc), *before)
    return [v for v in dict.fromkeys(values) if v not in known and accepts(unfolding, state, v)]


class Asker:
    """Turns questions about a trace into queries, and their answers into seeds."""

    def __init__(self, solving: Solving, model: MemoryModel, on_question: Callable[[], None] = lambda: None) -> None:
        self._solving = solving
        self._model = model
        self._on_question = on_question

    def ask(
        self,
        trace: Observation,
        goals: Sequence[Goal],
        frozen: Iterable[Event],
        absent: Event | None = None,
        in_order: bool = False,
    ) -> Seed | None:
        """A seed that makes the goals' states read their values, together with what is frozen; None if it cannot be.

        frozen    events that must happen, with what their threads did before; `in_order` if in this order
        absent    an event that must not happen
        """
        self._on_question()
        changed = trace
        for goal in goals:
            changed = changed.retargeted(*goal)
        numbers = frozenset(changed.event_at(state).id for state, _ in goals)
        query = Query(changed, numbers, list(frozen), absent, in_order)
        prefix = self._solving.shortest_prefix(query)
        return None if prefix is None else schedule(changed, prefix, self._model)

    def stuck_seeds(self, trace: Observation, stuck: list[State]) -> Iterator[Seed]:
        """Whole executions made of a trace's events in which threads wait for ever."""
        if may_get_stuck(trace, stuck):
            self._on_question()
            for prefix in self._solving.stuck_prefixes(trace, stuck):
                yield schedule(trace, prefix, self._model)


def last_by_thread(events: Iterable[Event]) -> list[Event]:
    """The last event of each thread, in program order."""
    found: dict[int, Event] = {}
    for event in events:
        known = found.get(event.thread)
        if known is None or known.depth < event.depth:
            found[event.thread] = event
    return list(found.values())


def updates(events: Iterable[Event]) -> Iterator[Event]:
    """The events that read and write in one step, and did write."""
    return (event for event in events if event.kind in UPDATES and event.wrote != NOTHING)
