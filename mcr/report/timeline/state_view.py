"""Memory and buffers as the page shows them."""

from __future__ import annotations

from mcr.report.timeline.states import State
from replay.frontend.threads import FINAL
from replay.traces.trace import Event, Trace
from replay.world.memory_model import Buffers
from replay.world.memory_models import memory_model
from replay.world.operation import KINDS, SCHEDULING


class StateView:
    """Shows states of one trace: the locations that the program knows, and one queue per buffer of the model."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        hidden = {event.location for event in trace.events if KINDS[event.kind] in SCHEDULING}
        self._locations = [name for name in trace.initial if name not in hidden]
        self._queues_of = memory_model(trace.model).buffers

    def memory(self, state: State) -> list[list[str]]:
        """Pairs of location and value."""
        return [[name, state.memory[name]] for name in self._locations]

    def buffers(self, state: State) -> list[list[object]]:
        """For each buffer its name and its stores, oldest first."""
        if self._queues_of is None:
            return []
        threads = [thread for thread in self._trace.threads if thread != FINAL]
        return [
            [f"thread {thread}{name and ', '}{name}", [_store(store, name) for store in stores]]
            for thread in threads
            for name, stores in self._queues(self._queues_of, state.buffers[thread]).items()
        ]

    def _queues(self, buffers: Buffers, waiting: tuple[int, ...]) -> dict[str, list[Event]]:
        """The stores of a thread by the name of their buffer; one that is empty if there is none."""
        queues: dict[str, list[Event]] = {}
        for id in waiting:
            store = self._trace.events[id]
            queues.setdefault(buffers.key(store.location), []).append(store)
        return queues or {"": []}


def _store(store: Event, queue: str) -> str | None:
    """A store in its buffer: only the value where the name of the buffer says the location."""
    return store.written if queue == store.location else store.operation
