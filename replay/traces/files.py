"""Traces as files: JSON with a schema version, written whole or not at all.

The format is documented in docs/formats.md; `SCHEMA` changes whenever an old
reader could misunderstand a new file.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from replay.documents import parsed, read_text
from replay.errors import CheckerError, FormatError
from replay.traces.trace import Event, Failure, Step, Trace
from replay.traces.well_formed import check_well_formed
from replay.world.operation import Source
from replay.writing import write_atomically

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
