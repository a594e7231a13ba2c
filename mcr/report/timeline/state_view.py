"""Memory and buffers as the page shows them."""

from __future__ import annotations

from mcr.report.timeline.states import State
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace
from replay.world.memory_model import Buffering, memory_model
from replay.world.operation import SCHEDULING, Kind


class StateView:
    """Shows states of one trace: the locations that the program knows, and one queue per buffer of the model."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        hidden = {event.location for event in trace.events if Kind(event.kind) in SCHEDULING}
        self._locations = [name for name in trace.initial if name not in hidden]
        self._buffering = memory_model(trace.model).buffering

    def memory(self, state: State) -> list[list[str]]:
        """Pairs of location and value."""
        return [[name, state.memory[name]] for name in self._locations]

    def buffers(self, state: State) -> list[list[object]]:
        """For each buffer its name and its stores, oldest first; under PSO a thread has one for each location."""
        if self._buffering is Buffering.NONE:
            return []
        threads = [thread for thread in self._trace.threads if thread != FINAL]
        return [queue for thread in threads for queue in self._queues(thread, state.buffers[thread])]

    def _queues(self, thread: str, waiting: tuple[int, ...]) -> list[list[object]]:
        stores = [self._trace.events[id] for id in waiting]
        if self._buffering is Buffering.THREAD or not stores:
            return [[f"thread {thread}", [store.operation for store in stores]]]
        locations = dict.fromkeys(store.location for store in stores)
        return [
            [f"thread {thread}, {name}", [store.written for store in stores if store.location == name]]
            for name in locations
        ]
