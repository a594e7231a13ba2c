"""The file of a trace or a log (docs/formats.md): what may stand in it, as types that msgspec checks, and its trace.

A log written by hand or by a real machine leaves out what follows from the rest. It is put in here: everybody else sees
whole traces only. What the numbers and names refer to is `replay.traces.files`'s to check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from replay.errors import FormatError
from replay.files import checked, checked_entries
from replay.traces.trace import GIL, Failure, ProgramReference, Step, ThreadEnd, Trace, TraceEvent
from replay.world.operation import KINDS, READS, SCHEDULING, Kind, Source

Name = str | int
"""Of a thread: those of a real machine are numbered."""

Value = str | int | float | bool
"""Python's repr; JSON numbers and truth values may stand for themselves."""


class EventFields(Struct, frozen=True, forbid_unknown_fields=True):
    """One event; what is UNSET follows from the others."""

    thread: Name
    kind: str
    location: str = ""
    read: Value | None = None
    written: Value | None = None
    source: int | UnsetType | None = UNSET
    id: int | UnsetType = UNSET
    index: int | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    executed: int = 0
    committed: int | None = None
    line: str | None = None


class StepFields(Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a schedule; `run` and `commit` repeat the operation for the reader."""

    thread: Name
    event: int
    run: str | UnsetType = UNSET
    commit: str | UnsetType = UNSET


class ProgramFields(Struct, frozen=True, forbid_unknown_fields=True):
    file: str = ""
    name: str = "log"
    arguments: dict[str, str] = {}
    fingerprint: str = ""


class FailureFields(Struct, frozen=True, forbid_unknown_fields=True):
    thread: str
    error: str
    message: str = ""
    stack: list[str] = []


class EndFields(Struct, frozen=True, forbid_unknown_fields=True):
    how: str
    detail: str = ""


class TraceFields(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file; the values of objects with free keys are checked one by one, since errors name the key then."""

    schema: str
    model: str
    events: list[EventFields]
    threads: dict[str, object] | UnsetType = UNSET
    initial: dict[str, object] = {}
    schedule: list[StepFields] = []
    repeats: int | None = None
    python: Literal["free-threaded", "gil"] = "free-threaded"
    changing: list[str] = []
    program: ProgramFields = ProgramFields()
    failure: FailureFields | None = None
    ends: dict[str, object] = {}


_READING = {name for name, kind in KINDS.items() if kind in READS - SCHEDULING}
_PLACE = re.compile(r"(?P<file>.*):(?P<line>\d{1,9}):(?P<function>[^:]*)", re.DOTALL)


def trace_of(data: object) -> Trace:
    """The trace that the data of a file describe; what was left out is put in.

    Raises FormatError naming the field that is wrong, or the event that cannot be completed.
    """
    given: TraceFields = checked(data, TraceFields)
    values: dict[str, Value] = checked_entries(given.initial.items(), Value, "initial")
    initial = {location: _text(value) for location, value in values.items()}
    events = _events(given.events, initial)
    names = dict.fromkeys((event.thread for event in events), "")
    threads = names if given.threads is UNSET else checked_entries(given.threads.items(), str, "threads")
    ends: dict[str, EndFields] = checked_entries(given.ends.items(), EndFields, "ends")
    return Trace(
        program=ProgramReference(**asdict(given.program)),
        model=given.model,
        threads=threads,
        initial=initial,
        events=tuple(events),
        steps=tuple(Step(str(each.thread), each.event, each.commit is not UNSET) for each in given.schedule),
        ends=dict.fromkeys(threads, ThreadEnd("ended"))
        | {thread: ThreadEnd(end.how, end.detail) for thread, end in ends.items()},
        failure=None if given.failure is None else _failure(given.failure),
        repeats=given.repeats,
        global_lock=given.python == GIL,
        changing=tuple(given.changing),
    )


def _failure(given: FailureFields) -> Failure:
    stack = (_place(text, f"failure.stack[{number}]") for number, text in enumerate(given.stack))
    return Failure(given.thread, given.error, given.message, tuple(stack))


def _place(text: str, field: str) -> Source:
    """A line of the program."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise FormatError(f"{field}: expected file:line:function, got {text!r}")
    return Source(found["file"], int(found["line"]), found["function"])


def _text(value: Value) -> str:
    """A value as the repr that traces hold."""
    return value if isinstance(value, str) else repr(value)


def _events(listed: Sequence[EventFields], initial: Mapping[str, str]) -> list[TraceEvent]:
    """The events. Where the source of a read is left out, it follows from the value if only one write has it."""
    counts: Counter[str] = Counter()
    events: list[TraceEvent] = []
    for number, given in enumerate(listed):
        thread = str(given.thread)
        events.append(_event(number, counts[thread], given))
        counts[thread] += 1
    for number, (given, event) in enumerate(zip(listed, events, strict=True)):
        if given.source is UNSET and event.kind in _READING and event.read is not None:
            events[number] = replace(event, source=_source(event, events, initial))
    return events


def _event(number: int, index: int, given: EventFields) -> TraceEvent:
    """An event; the place in the list and that in its thread count where it does not name its own."""
    read, written = (None if value is None else _text(value) for value in (given.read, given.written))
    return TraceEvent(
        id=number if given.id is UNSET else given.id,
        thread=str(given.thread),
        index=index if given.index is UNSET else given.index,
        kind=given.kind,
        operation=_operation(given, written) if given.operation is UNSET else given.operation,
        location=given.location,
        read=read,
        written=written,
        source=None if given.source is UNSET else given.source,
        executed=given.executed,
        committed=given.committed,
        line=None if given.line is None else _place(given.line, f"events[{number}].line"),
    )


def _operation(given: EventFields, written: str | None) -> str:
    """The operation as a reader sees it."""
    if given.kind == Kind.STORE.value:
        return f"{given.location} = {written}"
    return f"{given.kind} {given.location}".strip()


def _source(event: TraceEvent, events: Sequence[TraceEvent], initial: Mapping[str, str]) -> int | None:
    """rf where it is left out."""
    location, value = event.location, event.read
    found = [
        other.id for other in events if other is not event and other.location == location and other.written == value
    ]
    is_initial = initial.get(location) == value
    name = f"event {event.id} (thread {event.thread}, {event.operation})"
    if len(found) + is_initial > 1:
        writers = ", ".join([*(["the initial value"] if is_initial else []), *(f"event {id}" for id in found)])
        raise FormatError(f'{name} reads {value}, which may come from {writers}: say which with "source"')
    if not found and not is_initial:
        raise FormatError(f"{name} reads {value}, which no event writes to {location}")
    return found[0] if found else None
