"""Traces as files: JSON with a schema version, written whole or not at all; and traces that make no sense are refused.

The format is documented in docs/formats.md; `SCHEMA` changes whenever an old reader could misunderstand a new file.
Everything that numbers and names in a trace refer to is checked here, and nowhere else: for files when they are read,
for traces made in memory when somebody asks whether they are consistent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from replay.errors import CheckerError, FormatError
from replay.files import parsed, read_text, write_atomically
from replay.frontend.locks import FREE
from replay.frontend.threads import end_location
from replay.traces.trace import GIL, Failure, Step, Trace, TraceEvent
from replay.world.memory_models import MODELS
from replay.world.operation import KINDS, LOCK, READS, UPDATES, WRITES, Kind, Source
from replay.world.shown import shown

_WRITES = {name for name, kind in KINDS.items() if kind in WRITES}
_MAY_WRITE = _WRITES | {name for name, kind in KINDS.items() if kind in UPDATES}
_READS = {name for name, kind in KINDS.items() if kind in READS - {Kind.JOIN}}
_MAY_READ = _READS | {Kind.JOIN.value, Kind.CHOOSE.value}
_ENDS = ("ended", "blocked", "failed", "cut", "running")


class MalformedTraceError(FormatError):
    """The trace contradicts itself; `event` is the id of the event that shows it."""

    def __init__(self, event: TraceEvent, problem: str) -> None:
        self.event = event.id
        super().__init__(f"event {event.id} (thread {event.thread}, {event.operation or event.kind}): {problem}")


def check_well_formed(trace: Trace) -> None:
    """Raises MalformedTraceError for the first event that makes no sense, FormatError for what belongs to no event."""
    if trace.model not in MODELS:
        raise FormatError(f"unknown memory model {trace.model!r}; there are {', '.join(MODELS)}")
    for number, event in enumerate(trace.events):
        for problem in _event_problems(trace, number, event):
            raise MalformedTraceError(event, problem)
    _check_places(trace)
    for event in trace.events:
        for problem in _source_problems(trace, event):
            raise MalformedTraceError(event, problem)
    _check_commits(trace)
    _check_steps(trace)
    _check_ends(trace)


def _event_problems(trace: Trace, number: int, event: TraceEvent) -> Iterator[str]:
    """Yields what is wrong with an event by itself: what one of its kind must and must not have."""
    if event.id != number:
        yield f"it stands at place {number}"
    if event.kind not in KINDS:
        yield f"there is no kind of event {event.kind!r}; there are {', '.join(KINDS)}"
    if event.thread not in trace.threads:
        yield f"there is no thread {event.thread!r}"
    if event.kind in _WRITES and event.written is None:
        yield "it writes, but the value written is missing"
    if event.written is not None and event.kind not in _MAY_WRITE:
        yield f"a {event.kind} cannot write"
    if event.kind in _READS and event.read is None:
        yield "it reads, but the value read is missing"
    if event.read is not None and event.kind not in _MAY_READ:
        yield f"a {event.kind} cannot read"
    if event.kind in _READS | _MAY_WRITE | {Kind.JOIN.value} and not event.location:
        yield "its location is missing"
    if event.kind == Kind.JOIN.value and not _ends_somebody(trace, event.location):
        yield f"there is no thread whose end is {event.location!r}"


def _ends_somebody(trace: Trace, location: str) -> bool:
    """Returns whether a join may wait there: a thread that did nothing need not be listed."""
    return location.startswith(end_location("").name) or any(
        end_location(thread).name == location for thread in trace.threads
    )


def _check_places(trace: Trace) -> None:
    """Program order is a line: each place of a thread is taken by one event, and none is left out."""
    places: dict[tuple[str, int], TraceEvent] = {}
    for event in trace.events:
        other = places.setdefault((event.thread, event.index), event)
        if other is not event:
            raise MalformedTraceError(event, f"it has the place of event {other.id}: index {event.index} of the thread")
    for event in trace.events:
        if event.index and (event.thread, event.index - 1) not in places:
            raise MalformedTraceError(event, f"its thread has no event with index {event.index - 1}")


def _source_problems(trace: Trace, event: TraceEvent) -> Iterator[str]:
    """Yields what is wrong with the event's source."""
    if not event.reads_memory:
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
    elif event.kind == LOCK and event.read != shown(FREE):
        yield f"it takes a mutex that is not free but {event.read}"


def _initial_problems(trace: Trace, event: TraceEvent) -> Iterator[str]:
    if event.kind == Kind.START.value:
        yield "no spawn started it: its source is missing"
    elif event.location not in trace.initial:
        yield f"it reads the initial value of {event.location}, which is missing"
    elif trace.initial[event.location] != event.read and not _finds_end(trace, event):
        yield f"it reads {event.read}, but the initial value of {event.location} is {trace.initial[event.location]}"


def _finds_end(trace: Trace, event: TraceEvent) -> bool:
    """Returns True for a load that finds a thread ended (`is_alive`): the end of a thread is no event."""
    thread = event.location.removeprefix(end_location("").name)
    end = trace.ends.get(thread)
    is_it = end is not None and end.how == "ended" and event.location == end_location(thread).name
    return is_it and end is not None and event.read == f"('returned', {end.detail})"


def _check_commits(trace: Trace) -> None:
    """No two stores reach memory in one step, and none before it is executed."""
    steps: dict[int, TraceEvent] = {}
    for event in trace.events:
        if event.committed is None or event.written is None:
            continue
        if event.committed < event.executed:
            raise MalformedTraceError(event, f"it commits in step {event.committed}, before it is executed")
        other = steps.setdefault(event.committed, event)
        if other is not event:
            raise MalformedTraceError(event, f"it commits in the same step as event {other.id}: {event.committed}")


def _check_steps(trace: Trace) -> None:
    """A schedule, if there is one, executes each event once, and commits none twice, in the steps that events name."""
    executed: dict[int, int] = {}
    committed: dict[int, int] = {}
    if trace.repeats is not None and not 0 <= trace.repeats < len(trace.steps):
        raise FormatError(f"repeats: there is no step {trace.repeats} in the schedule")
    for number, step in enumerate(trace.steps):
        if not 0 <= step.event < len(trace.events):
            raise FormatError(f"step {number} of the schedule names event {step.event}, which is not there")
        event, done = trace.events[step.event], committed if step.commit else executed
        if step.event in done:
            raise MalformedTraceError(event, f"the schedule {'commits' if step.commit else 'executes'} it twice")
        if step.thread != event.thread:
            raise MalformedTraceError(event, f"the schedule lets thread {step.thread} execute it")
        if step.commit and event.written is None:
            raise MalformedTraceError(event, "the schedule commits it, but it writes nothing")
        done[step.event] = number
    for event in trace.events if trace.steps else ():
        for problem in _step_problems(event, executed.get(event.id), committed.get(event.id)):
            raise MalformedTraceError(event, problem)


def _step_problems(event: TraceEvent, executed: int | None, committed: int | None) -> Iterator[str]:
    """Yields what is wrong with the steps in which a schedule executes and commits an event."""
    if executed is None:
        yield "the schedule does not execute it"
    elif event.executed != executed:
        yield f"it says that it is executed in step {event.executed}, but step {executed} of the schedule does that"
    if event.written is not None and event.committed not in ((executed, None) if committed is None else (committed,)):
        yield f"it says that it commits in step {event.committed}, but the schedule has it in {committed or executed}"


def _check_ends(trace: Trace) -> None:
    """How threads ended, and what failed, is told of threads that are there."""
    for thread, end in trace.ends.items():
        if thread not in trace.threads:
            raise FormatError(f"ends: there is no thread {thread!r}")
        if end.how not in _ENDS:
            raise FormatError(f"ends[{thread!r}].how: there is no end {end.how!r}; there are {', '.join(_ENDS)}")
    if trace.failure is not None and trace.failure.thread and trace.failure.thread not in trace.threads:
        raise FormatError(f"failure.thread: there is no thread {trace.failure.thread!r}")


SCHEMA = "mcr-trace/1"


def save_trace(trace: Trace, path: Path | str) -> None:
    """Write a trace; the directory is made if need be. Raises CheckerError if that cannot be."""
    if not isinstance(trace, Trace):
        raise CheckerError(f"what is saved is a trace, as in result.failures, not {trace!r}")
    write_atomically(Path(path), json.dumps(to_json(trace), indent=1, ensure_ascii=False) + "\n")


def load_trace(path: Path | str) -> Trace:
    """Read a trace or a log. Raises FormatError naming the file, and the field or the event that is wrong."""
    data = parsed(read_text(Path(path)), path)
    try:
        return from_json(data)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def to_json(trace: Trace) -> dict[str, Any]:
    """The trace as JSON data, in the order in which a person wants to read it."""
    return {
        "schema": SCHEMA,
        "program": asdict(trace.program),
        "model": trace.model,
        "failure": _failure_to_json(trace.failure),
        "threads": trace.threads,
        "initial": trace.initial,
        "schedule": [_step_to_json(step, trace) for step in trace.steps],
        **({} if trace.repeats is None else {"repeats": trace.repeats}),
        **({"python": GIL} if trace.global_lock else {}),
        **({"changing": list(trace.changing)} if trace.changing else {}),
        "events": [_event_to_json(event) for event in trace.events],
        "ends": {name: asdict(end) for name, end in trace.ends.items()},
    }


def _step_to_json(step: Step, trace: Trace) -> dict[str, Any]:
    event = trace.events[step.event]
    does = "commit" if step.commit else "run"
    return {"thread": step.thread, does: event.operation, "event": step.event}


def _event_to_json(event: TraceEvent) -> dict[str, Any]:
    data = asdict(event)
    del data["call"]
    data["line"] = _source_to_json(event.line)
    return data


def _source_to_json(source: Source | None) -> str | None:
    return None if source is None else f"{source.file}:{source.line}:{source.function}"


def _failure_to_json(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return asdict(failure) | {"stack": [_source_to_json(source) for source in failure.stack]}


def from_json(data: object) -> Trace:
    """The trace that `to_json` wrote, or a log that leaves out what follows. Raises FormatError for anything else."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, str) or not schema.startswith("mcr-trace/"):
        raise FormatError("not a trace file (no schema)")
    if schema != SCHEMA:
        raise FormatError(f"schema {schema!r} is of another version; this program reads {SCHEMA!r}")
    from replay.traces.logs import trace_of  # late: it brings the library that checks types

    trace = trace_of(data)
    check_well_formed(trace)
    return trace
