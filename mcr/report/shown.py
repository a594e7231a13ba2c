"""A trace as reports show it: every text in it on one line, without anything hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mcr.report.printable import on_one_line, printable
from replay.traces.trace import Event, Failure, ThreadEnd, Trace


def shown_trace(trace: Trace) -> Trace:
    """The trace with names, operations, values and messages made printable; places in files stay what they are."""
    name = _naming(trace)
    return replace(
        trace,
        program=replace(
            trace.program, name=on_one_line(trace.program.name), arguments=_values(trace.program.arguments)
        ),
        threads={name(thread): on_one_line(title) for thread, title in trace.threads.items()},
        initial={name(location): on_one_line(value) for location, value in trace.initial.items()},
        events=tuple(_event(event, name) for event in trace.events),
        steps=tuple(replace(step, thread=name(step.thread)) for step in trace.steps),
        ends={name(thread): ThreadEnd(end.how, on_one_line(end.detail)) for thread, end in trace.ends.items()},
        failure=trace.failure and _failure(trace.failure, name),
    )


def _naming(trace: Trace) -> Callable[[str], str]:
    """How threads and locations are shown: two that differ do not become one."""
    names = {*trace.threads, *trace.initial, *(event.location for event in trace.events)}
    if len({on_one_line(name) for name in names}) == len(names):
        return on_one_line
    return lambda name: on_one_line(name.replace("\\", "\\\\"))


def _values(texts: dict[str, str]) -> dict[str, str]:
    return {on_one_line(name): on_one_line(text) for name, text in texts.items()}


def _event(event: Event, name: Callable[[str], str]) -> Event:
    return replace(
        event,
        thread=name(event.thread),
        operation=on_one_line(event.operation),
        location=name(event.location),
        read=None if event.read is None else on_one_line(event.read),
        written=None if event.written is None else on_one_line(event.written),
    )


def _failure(failure: Failure, name: Callable[[str], str]) -> Failure:
    return replace(
        failure, thread=name(failure.thread), error=on_one_line(failure.error), message=printable(failure.message)
    )
