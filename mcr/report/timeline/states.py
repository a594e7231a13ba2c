"""What memory and the store buffers hold after each step of a trace."""

from __future__ import annotations

from dataclasses import dataclass

from replay.traces.trace import Trace


@dataclass(frozen=True)
class State:
    """Memory and store buffers at one moment.

    memory   value (repr) by location
    buffers  by thread the ids of the stores in its buffer, in program order
    """

    memory: dict[str, str]
    buffers: dict[str, tuple[int, ...]]


def states(trace: Trace) -> list[State]:
    """The state before the first step, and after each one."""
    memory = dict(trace.initial)
    buffers: dict[str, tuple[int, ...]] = dict.fromkeys(trace.threads, ())
    found = [State(dict(memory), dict(buffers))]
    for step in trace.steps:
        event = trace.events[step.event]
        waiting = buffers[step.thread]
        if step.commit:
            buffers[step.thread] = tuple(store for store in waiting if store != event.id)
        elif event.is_buffered:
            buffers[step.thread] = (*waiting, event.id)
        if event.written is not None and (step.commit or not event.is_buffered):
            memory[event.location] = event.written
        found.append(State(dict(memory), dict(buffers)))
    return found
