"""Failures that no thread raises: executions that SC does not have, that go on for ever, or end in a data race."""

from __future__ import annotations

import math

from mcr.consistency.cycle import forbidden_cycle, settled
from mcr.exploration.goals import AFTERWARDS
from replay.traces.trace import DATA_RACE, NOT_ROBUST, Failure, Trace, TraceEvent
from replay.world.memory_models import MODELS
from replay.world.operation import KINDS, Kind

_MESSAGE = "SC has no execution with these reads and this order of writes"


def finding(objective: str, trace: Trace) -> Failure | None:
    """The failure that was sought for an objective, if a trace shows it; None if it does not."""
    question = AFTERWARDS.get(objective)
    return _find_lasso(trace) if question is None else question.find(trace)


def _find_lasso(trace: Trace) -> Failure | None:
    """The failure of a run without end; that its last part repeats was checked when it was recorded."""
    return trace.failure if trace.failure is not None and trace.failure.is_lasso else None


def find_violation(trace: Trace) -> Failure | None:
    """The failure that SC does not have this execution; None if it has."""
    cycle = forbidden_cycle(settled(trace), MODELS["sc"])
    return Failure(trace.events[cycle[0].source].thread, NOT_ROBUST, _MESSAGE) if cycle else None


def find_race(trace: Trace) -> Failure | None:
    """The race of the last two events that took effect; None if they do not race."""
    two = last_two(trace)
    if len(two) < 2 or not _conflict(*two):
        return None
    first, second = two
    lines = tuple(event.line for event in two if event.line is not None)
    message = f"{_words(first)} directly before {_words(second)}, and nothing orders them"
    return Failure(second.thread, DATA_RACE, message, lines)


def last_two(trace: Trace) -> list[TraceEvent]:
    """The events at a location that took effect last, in that order."""
    happened = [event for event in trace.events if event.location and event.moment < math.inf]
    return sorted(happened, key=lambda event: event.moment)[-2:]


def _conflict(one: TraceEvent, other: TraceEvent) -> bool:
    """Returns whether two events race if nothing orders them."""
    kinds = {KINDS[event.kind] for event in (one, other)}
    return (
        one.thread != other.thread
        and one.location == other.location
        and not (one.written is None and other.written is None)
        and bool(kinds & {Kind.LOAD, Kind.STORE})
    )


def _words(event: TraceEvent) -> str:
    line = f" (line {event.line.line})" if event.line else ""
    kind = {Kind.LOAD: "load of", Kind.STORE: "store to"}.get(KINDS[event.kind], "update of")
    return f"{kind} {event.location}{line}"
