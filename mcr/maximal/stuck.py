"""Executions that end with threads waiting for ever: the one thing that no load's value tells (Phi_stuck; ours).

A class of executions in which threads are stuck need not differ from another
in any value read: it is only shorter. So each trace is also asked whether its
threads could have stopped at operations that block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcr.maximal.constraints import Absent, And, Before, Constraint, Happens, all_of, any_of
from mcr.maximal.observation import Event, Observation, accepts
from replay.operation import Kind
from replay.state import State

_MAY_START_IT = frozenset({Kind.LOCK, Kind.WAKE})
"""Kinds that can block although no thread is stuck yet."""


def may_get_stuck(trace: Observation, stuck: Iterable[State]) -> bool:
    """Whether asking is worth it."""
    states = (*stuck, *(event.before for event in trace.events.values()))
    return any(state.operation is not None and state.operation.kind in _MAY_START_IT for state in states)


def with_pending(trace: Observation, stuck: Iterable[State]) -> tuple[Observation, list[Event]]:
    """The trace with an event for each operation that was blocked to its end; and these events."""
    free, last = max(trace.events, default=-1) + 1, max((e.moment for e in trace.events.values()), default=0) + 1
    pending = [Event(free + number, last, state) for number, state in enumerate(stuck)]
    return Observation(trace.unfolding, (*trace.events.values(), *pending)), pending


def phi_stuck(trace: Observation, pending: list[Event]) -> And:
    """Phi_stuck: every thread comes to the end of what it did in the trace, or stops where it has to wait; one does."""
    stops: list[Constraint] = []
    parts: list[Constraint] = [Absent(event.id) for event in pending]
    for events in trace.threads.values():
        ways: list[Constraint] = []
        for event in events:
            if event.before.operation is not None and event.before.operation.ready is not None:
                blocked = _blocked(trace, event)
                ways.append(blocked)
                if event.kind is not Kind.START:
                    stops.append(blocked)
        if not any(event in pending for event in events):
            ways.append(all_of(Happens(event.id) for event in events))
        if all(event.kind is not Kind.FINAL for event in events):
            parts.append(any_of(ways))
    return all_of((*parts, any_of(stops)))


def _blocked(trace: Observation, event: Event) -> Constraint:
    """The thread has done all before the event, and memory ends with a value for which it cannot execute."""
    before = trace.threads[event.thread][: event.depth]
    reached = (Happens(earlier.id) for earlier in before)
    return all_of((Absent(event.id), *reached, any_of(_last_values(trace, event))))


def _last_values(trace: Observation, event: Event) -> Iterator[Constraint]:
    """For each value that blocks the event: the write that leaves it is the last to happen."""
    location = event.before.loc
    writes = trace.writes.get(location, ())
    if not accepts(trace.unfolding, event.before, trace.initial(location)):
        yield all_of(Absent(write.id) for write in writes)
    for write in writes:
        if write is not event and not accepts(trace.unfolding, event.before, write.wrote):
            others = (other for other in writes if other is not write)
            last = (any_of((Absent(other.id), Before(other.id, write.id))) for other in others)
            yield all_of((Happens(write.id), *last))
