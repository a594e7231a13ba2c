"""What is wrong with a trace that cannot even be asked about."""

from __future__ import annotations

from replay.errors import CheckerError
from replay.traces.trace import Event


class MalformedTraceError(CheckerError):
    """The trace contradicts itself; `event` is the id of the event that shows it."""

    def __init__(self, event: Event, problem: str) -> None:
        self.event = event.id
        super().__init__(f"event {event.id} (thread {event.thread}, {event.operation or event.kind}): {problem}")
