"""The history of each cell: who wrote and read what when, in a buffer and in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.report.explanation import thread_words
from mcr.report.interleaving import Row, is_forwarded
from mcr.report.printable import markup
from mcr.report.timeline.moments import Moment
from replay.traces.trace import Event, Trace
from replay.world.operation import KINDS, SCHEDULING


def cells(trace: Trace, shown: Sequence[Moment]) -> str:
    """A table for each cell that the execution accesses, as HTML."""
    histories: dict[str, list[tuple[str, str, str, str]]] = {}
    for moment in shown:
        row = moment.row
        if row is None:
            continue
        event = trace.events[row.event]
        if event.location and KINDS[event.kind] not in SCHEDULING:
            lines = histories.setdefault(event.location, [("", "at first", "", trace.initial[event.location])])
            lines += _happens(trace, event, row)
    tables = (_table(name, lines) for name, lines in histories.items())
    return f"<details><summary>The history of each cell</summary><div>{''.join(tables)}</div></details>"


def _happens(trace: Trace, event: Event, row: Row) -> Iterator[tuple[str, str, str, str]]:
    """The step, what happened to the cell, the store in a buffer, and the value in memory."""
    step, who = str(row.number), thread_words(event.thread)
    if row.commit:
        yield step, f"{who}'s store reaches memory", "", event.written or ""
        return
    if event.read is not None:
        buffer = " from its own buffer" if is_forwarded(event, trace) else ""
        yield step, f"{who} reads {event.read}{buffer}", "", ""
    if event.written is not None:
        waits = event.is_buffered and not _shown_at_once(event)
        yield step, f"{who} writes", event.written if waits else "", "" if waits else event.written


def _shown_at_once(event: Event) -> bool:
    """Whether one row shows a store with its commit, in the step after it."""
    return event.committed is not None and event.committed == event.executed + 1


def _table(name: str, lines: Sequence[tuple[str, str, str, str]]) -> str:
    head = "".join(f"<th>{markup(title)}</th>" for title in ("step", name, "buffered", "in memory"))
    rows = ("".join(f"<td>{markup(cell)}</td>" for cell in line) for line in lines)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
