"""Refuses traces that make no sense under any memory model, naming the event."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.consistency.errors import MalformedTraceError
from mcr.executions.relations import reads_memory
from replay.traces.trace import Event, Trace
from replay.world.operation import Kind

_WRITES = {kind.value for kind in (Kind.STORE, Kind.UNLOCK, Kind.SPAWN)}
_MAY_WRITE = _WRITES | {kind.value for kind in (Kind.RMW, Kind.LOCK, Kind.WAKE)}
_READS = {kind.value for kind in (Kind.LOAD, Kind.RMW, Kind.LOCK, Kind.WAKE, Kind.START)}
_KINDS = {kind.value for kind in Kind}


def check_well_formed(trace: Trace) -> None:
    """Raises MalformedTraceError for the first event that makes no sense."""
    for number, event in enumerate(trace.events):
        if event.id != number:
            raise MalformedTraceError(event, f"it stands at place {number}")
        for problem in _kind_problems(trace, event):
            raise MalformedTraceError(event, problem)
    _check_places(trace)
    for event in trace.events:
        for problem in _source_problems(trace, event):
            raise MalformedTraceError(event, problem)
    _check_commits(trace)
    _check_steps(trace)


def _kind_problems(trace: Trace, event: Event) -> Iterator[str]:
    """What an event of this kind must and must not have."""
    if event.kind not in _KINDS:
        yield f"there is no kind of event {event.kind!r}; there are {', '.join(sorted(_KINDS))}"
    if event.thread not in trace.threads:
        yield f"there is no thread {event.thread!r}"
    if event.kind in _WRITES and event.written is None:
        yield "it writes, but the value written is missing"
    if event.written is not None and event.kind not in _MAY_WRITE:
        yield f"a {event.kind} cannot write"
    if event.kind in _READS and event.read is None:
        yield "it reads, but the value read is missing"
    if event.kind in _READS | _MAY_WRITE and not event.location:
        yield "its location is missing"


def _check_places(trace: Trace) -> None:
    """Program order is a line: each place of a thread is taken by one event, and none is left out."""
    places: dict[tuple[str, int], Event] = {}
    for event in trace.events:
        other = places.setdefault((event.thread, event.index), event)
        if other is not event:
            raise MalformedTraceError(event, f"it has the place of event {other.id}: index {event.index} of the thread")
    for event in trace.events:
        if event.index and (event.thread, event.index - 1) not in places:
            raise MalformedTraceError(event, f"its thread has no event with index {event.index - 1}")


def _source_problems(trace: Trace, event: Event) -> Iterator[str]:
    """What is wrong with the event's source."""
    if not reads_memory(event):
        if event.source is not None:
            yield f"it reads from event {event.source}, but it is no read of a location"
        return
    if event.source is None:
        yield from _initial_problems(trace, event)
        return
    if not 0 <= event.source < len(trace.events):
        yield f"it reads from event {event.source}, which is not there"
        return
    source = trace.events[event.source]
    if source.id == event.id:
        yield "it reads from itself"
    elif source.written is None or source.location != event.location:
        what = source.operation or source.kind
        yield f"it reads {event.location} from event {source.id} ({what}), which does not write it"
    elif source.written != event.read:
        yield f"it reads {event.read} from event {source.id}, which writes {source.written}"
    elif event.kind == Kind.LOCK.value and event.read != trace.initial.get(event.location, event.read):
        yield f"it takes a mutex that is not free but {event.read}"


def _initial_problems(trace: Trace, event: Event) -> Iterator[str]:
    if event.kind == Kind.START.value:
        yield "nobody spawned it: its source is missing"
    elif event.location not in trace.initial:
        yield f"it reads the initial value of {event.location}, which is missing"
    elif trace.initial[event.location] != event.read:
        yield f"it reads {event.read}, but the initial value of {event.location} is {trace.initial[event.location]}"


def _check_commits(trace: Trace) -> None:
    """No two stores reach memory in one step, and none before it is executed."""
    steps: dict[int, Event] = {}
    for event in trace.events:
        if event.committed is None or event.written is None:
            continue
        if event.committed < event.executed:
            raise MalformedTraceError(event, f"it commits in step {event.committed}, before it is executed")
        other = steps.setdefault(event.committed, event)
        if other is not event:
            raise MalformedTraceError(event, f"it commits in the same step as event {other.id}: {event.committed}")


def _check_steps(trace: Trace) -> None:
    """A schedule, if there is one, executes each event once and commits none twice."""
    seen: set[tuple[int, bool]] = set()
    for step in trace.steps:
        event = trace.events[step.event]
        if (step.event, step.commit) in seen:
            raise MalformedTraceError(event, f"the schedule {'commits' if step.commit else 'executes'} it twice")
        if step.thread != event.thread:
            raise MalformedTraceError(event, f"the schedule lets thread {step.thread} execute it")
        seen.add((step.event, step.commit))
    for event in trace.events if trace.steps else ():
        if (event.id, False) not in seen:
            raise MalformedTraceError(event, "the schedule does not execute it")
