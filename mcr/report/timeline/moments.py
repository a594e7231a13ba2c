"""The moments of a timeline (rows of the interleaving, the beginning, the failure), with memory and buffers at each."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.report.interleaving import Interleaving, Row, TraceState, mutexes, shown_value, states
from mcr.report.source import headline
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace, TraceEvent
from replay.world.memory_model import Buffers
from replay.world.memory_models import memory_model
from replay.world.operation import KINDS, SCHEDULING, Source


@dataclass(frozen=True)
class Moment:
    """One stop of the reader.

    row      what happened; None for the beginning and the failure
    cells    text by thread; "" stands for all threads
    line     the line of the program to look at
    fails    whether this is where the failure shows
    repeats  it is of that part which repeats for ever
    """

    row: Row | None
    cells: dict[str, str]
    line: Source | None
    state: TraceState
    fails: bool = False
    repeats: bool = False


def moments(trace: Trace) -> list[Moment]:
    """The beginning, then one for each row, and the failure where it happened."""
    known = states(trace)
    found = [Moment(None, {}, None, known[0])]
    shown = Interleaving(trace)
    first = shown.repeats
    for row in shown.rows:
        line = row.line or trace.events[row.event].line
        thread = "" if row.thread == FINAL else row.thread
        cells, repeats = {thread: shown_text(row, trace)}, first is not None and row.number >= first
        found.append(Moment(row, cells, line, known[row.steps], repeats=repeats))
    if trace.failure is not None:
        place = shown.before + 1
        state, repeats = found[place - 1].state, first is not None
        found.insert(place, Moment(None, _ending(trace, shown), trace.failure.line, state, fails=True, repeats=repeats))
    return found


def shown_text(row: Row, trace: Trace) -> str:
    """Describes what happened, with arrows that no line break can tear."""
    return f"{trace.events[row.event].operation} → memory" if row.commit else row.text.replace(" -> ", " → ", 1)


def _ending(trace: Trace, shown: Interleaving) -> dict[str, str]:
    """Describes the failure for each thread that it concerns."""
    failure = trace.failure
    assert failure is not None
    if shown.waiting:
        return {name: f"waits for ever: {operation}" for name, operation in shown.waiting.items()}
    if failure.is_lasso:
        return {"": f"{failure.error}: it goes on with step {shown.repeats}"}
    return {"" if failure.thread == FINAL else failure.thread: headline(failure)}


class StateView:
    """Shows states of one trace: the locations that the program knows, and one queue per buffer of the model."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        hidden = {event.location for event in trace.events if KINDS[event.kind] in SCHEDULING}
        self._locations = [name for name in trace.initial if name not in hidden]
        self._queues_of = memory_model(trace.model).buffers
        self._mutexes = mutexes(trace)

    def memory(self, state: TraceState) -> list[list[str]]:
        """Pairs of location and value."""
        return [[name, shown_value(name, state.memory[name], self._mutexes)] for name in self._locations]

    def buffers(self, state: TraceState) -> list[list[object]]:
        """For each buffer its name and its stores, oldest first."""
        if self._queues_of is None:
            return []
        threads = [thread for thread in self._trace.threads if thread != FINAL]
        return [
            [f"thread {thread}{name and ', '}{name}", [_store(store, name) for store in stores]]
            for thread in threads
            for name, stores in self._queues(self._queues_of, state.buffers.get(thread, ())).items()
        ]

    def _queues(self, buffers: Buffers, waiting: tuple[int, ...]) -> dict[str, list[TraceEvent]]:
        """The stores of a thread by the name of their buffer; one that is empty if there is none."""
        queues: dict[str, list[TraceEvent]] = {}
        for id in waiting:
            store = self._trace.events[id]
            queues.setdefault(buffers.key(store.location), []).append(store)
        return queues or {"": []}


def _store(store: TraceEvent, queue: str) -> str | None:
    """A store in its buffer: only the value where the name of the buffer says the location."""
    return store.written if queue == store.location else store.operation
