"""Traces as files: JSON with a schema version, written whole or not at all.

The format is documented in docs/formats.md; `SCHEMA` changes whenever an old
reader could misunderstand a new file.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from replay.errors import FormatError
from replay.traces.logs import completed
from replay.traces.trace import Event, Failure, ProgramReference, Step, ThreadEnd, Trace
from replay.world.memory_model import MODELS
from replay.world.operation import Kind, Source

SCHEMA = "mcr-trace/1"

_KINDS = [kind.value for kind in Kind]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is never seen half-written, even if the process is killed.

    Text becomes UTF-8. What UTF-8 does not have (a byte of a file name that is no text) is escaped as JSON does it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content.encode(errors="backslashreplace") if isinstance(content, str) else content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def save_trace(trace: Trace, path: Path) -> None:
    """Write a trace; the directory is made if need be."""
    write_atomically(path, json.dumps(to_json(trace), indent=1, ensure_ascii=False) + "\n")


def load_trace(path: Path) -> Trace:
    """Read a trace. Raises FormatError naming the file, and the field that is wrong."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise FormatError(f"{path}:{line}: not a trace, or truncated: {error}") from None
    except RecursionError:
        raise FormatError(f"{path}: not a trace: nested too deeply") from None
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
        "events": [_event_to_json(event) for event in trace.events],
        "ends": {name: asdict(end) for name, end in trace.ends.items()},
    }


def _step_to_json(step: Step, trace: Trace) -> dict[str, Any]:
    event = trace.events[step.event]
    does = "commit" if step.commit else "run"
    return {"thread": step.thread, does: event.operation, "event": step.event}


def _event_to_json(event: Event) -> dict[str, Any]:
    data = asdict(event)
    data["line"] = _source_to_json(event.line)
    return data


def _source_to_json(source: Source | None) -> str | None:
    return None if source is None else f"{source.file}:{source.line}:{source.function}"


def _failure_to_json(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "thread": failure.thread,
        "error": failure.error,
        "message": failure.message,
        "stack": [_source_to_json(source) for source in failure.stack],
    }


def from_json(data: Any) -> Trace:
    """The trace that `to_json` wrote, or a log that leaves out what follows. Raises FormatError for anything else."""
    if not isinstance(data, dict) or not str(data.get("schema", "")).startswith("mcr-trace/"):
        raise FormatError("not a trace file (no schema)")
    if data["schema"] != SCHEMA:
        raise FormatError(f"schema {data['schema']!r} is of another version; this program reads {SCHEMA!r}")
    try:
        trace = _build(completed(data))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"damaged or truncated trace: {type(error).__name__}: {error}") from None
    _check(trace)
    return trace


def _build(data: dict[str, Any]) -> Trace:
    program = data["program"]
    failure = data["failure"]
    return Trace(
        program=ProgramReference(**program),
        model=data["model"],
        threads=dict(data["threads"]),
        initial=dict(data["initial"]),
        events=tuple(Event(**{**event, "line": _source(event["line"])}) for event in data["events"]),
        steps=tuple(Step(step["thread"], step["event"], "commit" in step) for step in data["schedule"]),
        ends={name: ThreadEnd(**end) for name, end in data["ends"].items()},
        failure=None
        if failure is None
        else Failure(
            failure["thread"],
            failure["error"],
            failure["message"],
            tuple(source for text in failure["stack"] if (source := _source(text))),
        ),
    )


def _source(text: str | None) -> Source | None:
    if text is None:
        return None
    file, line, function = text.rsplit(":", 2)
    return Source(file, int(line), function)


def _check(trace: Trace) -> None:
    """Refuse references to what is not there, and a schedule that was cut: it would show less than was recorded."""
    if trace.model not in MODELS:
        raise FormatError(f"unknown memory model {trace.model!r}; there are {', '.join(MODELS)}")
    count = len(trace.events)
    for number, event in enumerate(trace.events):
        _check_numbers(number, event)
        if event.id != number:
            raise FormatError(f"event {event.id} stands at place {number}")
        if event.kind not in _KINDS:
            raise FormatError(f"event {number} is of the unknown kind {event.kind!r}; there are {', '.join(_KINDS)}")
        if event.thread not in trace.threads:
            raise FormatError(f"event {number} belongs to the unknown thread {event.thread!r}")
        if event.source is not None and not 0 <= event.source < count:
            raise FormatError(f"event {number} reads from event {event.source}, which is not there")
    for number, step in enumerate(trace.steps):
        if not isinstance(step.event, int) or not 0 <= step.event < count:
            raise FormatError(f"step {number} of the schedule names event {step.event}, which is not there")
    executed = {step.event for step in trace.steps if not step.commit}
    missing = next((event for event in trace.events if event.id not in executed), None)
    if trace.steps and missing is not None:
        where = f"event {missing.id} (thread {missing.thread}, {missing.operation})"
        raise FormatError(f"{where}: the schedule does not execute it")


def _check_numbers(number: int, event: Event) -> None:
    for name in ("id", "index", "executed"):
        if not isinstance(getattr(event, name), int):
            raise FormatError(f"event {number}: {name!r} is not a number")
    for name in ("source", "committed"):
        if not isinstance(getattr(event, name), int | None):
            raise FormatError(f"event {number}: {name!r} is neither a number nor null")
