"""Logs written by hand or by a real machine: trace documents with fields left out (docs/formats.md).

What follows from the rest may be left out. `completed` puts it in, so that
everybody else sees whole traces only.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from replay.errors import FormatError
from replay.traces.trace import Event
from replay.world.operation import Kind

_KNOWN = {field.name for field in fields(Event)}
_READING = {kind.value for kind in (Kind.LOAD, Kind.RMW, Kind.LOCK, Kind.WAKE)}


def completed(data: dict[str, Any]) -> dict[str, Any]:
    """The document with everything that was left out. Raises FormatError naming the event that cannot be completed."""
    if "model" not in data:
        raise FormatError('the memory model is missing: "model" is one of sc, tso, pso')
    if not isinstance(data.get("events"), list):
        raise FormatError('"events" is missing: the list of what was executed')
    initial = {location: _text(value) for location, value in data.get("initial", {}).items()}
    events = _events(data["events"])
    _find_sources(events, initial)
    threads = data.get("threads", dict.fromkeys((event["thread"] for event in events), ""))
    return {
        "program": {"file": "", "name": "log"},
        "failure": None,
        "schedule": [],
        "ends": {thread: {"how": "ended", "detail": ""} for thread in threads},
        **data,
        "threads": threads,
        "initial": initial,
        "events": events,
    }


def _events(listed: list[Any]) -> list[dict[str, Any]]:
    """The events with all fields but, for reads, the source."""
    counts: dict[str, int] = {}
    events: list[dict[str, Any]] = []
    for number, given in enumerate(listed):
        _check_fields(number, given)
        thread = str(given["thread"])
        index = counts[thread] = counts.get(thread, -1) + 1
        event = {"id": number, "index": index, "location": "", "executed": 0, "committed": None, "line": None, **given}
        event["thread"] = thread
        event["read"], event["written"] = _text(given.get("read")), _text(given.get("written"))
        event.setdefault("operation", _operation(event))
        events.append(event)
    return events


def _check_fields(number: int, given: Any) -> None:
    if not isinstance(given, dict):
        raise FormatError(f"event {number} is not an object")
    for needed in ("thread", "kind"):
        if needed not in given:
            raise FormatError(f"event {number} has no {needed!r}")
    for name in given:
        if name not in _KNOWN:
            raise FormatError(f"event {number} has an unknown field {name!r}")


def _text(value: Any) -> str | None:
    """A value as the repr that traces hold; JSON numbers may be written as such."""
    return value if value is None or isinstance(value, str) else repr(value)


def _operation(event: dict[str, Any]) -> str:
    """The operation as a reader sees it."""
    kind, location = event["kind"], event["location"]
    if kind == Kind.STORE.value:
        return f"{location} = {event['written']}"
    return f"{kind} {location}".strip()


def _find_sources(events: list[dict[str, Any]], initial: dict[str, str | None]) -> None:
    """rf where it is left out: from the value read, if only one write can have written it."""
    for event in events:
        if "source" in event:
            continue
        event["source"] = None
        if event["kind"] in _READING and event["read"] is not None:
            event["source"] = _source(event, events, initial)


def _source(event: dict[str, Any], events: list[dict[str, Any]], initial: dict[str, str | None]) -> int | None:
    location, value = event["location"], event["read"]
    found = [
        other["id"]
        for other in events
        if other is not event and other["location"] == location and other["written"] == value
    ]
    is_initial = initial.get(location) == value
    name = f"event {event['id']} (thread {event['thread']}, {event['operation']})"
    if len(found) + is_initial > 1:
        writers = ", ".join([*(["the initial value"] if is_initial else []), *(f"event {id}" for id in found)])
        raise FormatError(f'{name} reads {value}, which may come from {writers}: say which with "source"')
    if not found and not is_initial:
        raise FormatError(f"{name} reads {value}, which nobody writes to {location}")
    return found[0] if found else None
