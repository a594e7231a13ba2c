"""The data of a timeline's page: what its script shows at each moment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from mcr.report.explanation import thread_words
from mcr.report.interleaving import is_forwarded
from mcr.report.source import line_words
from mcr.report.timeline.arrows import Arrow, Delay, Places
from mcr.report.timeline.moments import Moment, shown_text
from mcr.report.timeline.state_view import StateView
from replay.traces.trace import Event, Trace
from replay.world.operation import KINDS, SCHEDULING, Kind

SHEET = 28
"""Rows that fit on one sheet of paper; arrows are printed if all rows do."""


def page_data(
    trace: Trace, moments: Sequence[Moment], arrows: Sequence[Arrow], delays: Sequence[Delay]
) -> dict[str, Any]:
    """Plain data: `moments` as the reader meets them, `arrows` and `delays` between them."""
    telling = _Telling(trace, moments)
    view = StateView(trace)
    return {
        "sheet": SHEET,
        "moments": [
            {
                "title": telling.title(place),
                "details": list(telling.details(place)),
                "line": str(moment.line) if moment.line else "",
                "fails": moment.fails,
                "memory": view.memory(moment.state),
                "buffers": view.buffers(moment.state),
            }
            for place, moment in enumerate(moments)
        ],
        "arrows": [[arrow.relation, arrow.source, arrow.target] for arrow in arrows],
        "delays": [[delay.thread, delay.source, delay.target, delay.lane] for delay in delays],
    }


def embedded(data: dict[str, Any]) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or open a comment."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class _Telling:
    """Words about each moment."""

    def __init__(self, trace: Trace, moments: Sequence[Moment]) -> None:
        self._trace = trace
        self._moments = moments
        self._places = Places(moments)

    def title(self, place: int) -> str:
        moment = self._moments[place]
        if moment.fails:
            return f"The failure: {'; '.join(moment.cells.values())}"
        if moment.row is None:
            return "The beginning: nothing has happened yet"
        where = f" ({line_words(moment.row.line, self._trace.program.file)})" if moment.row.line else ""
        return (
            f"Step {moment.row.number}: {thread_words(moment.row.thread)}: {shown_text(moment.row, self._trace)}{where}"
        )

    def details(self, place: int) -> Iterator[str]:
        """Where values come from and go to."""
        row = self._moments[place].row
        if row is None:
            return
        event = self._trace.events[row.event]
        if row.commit:
            yield f"It was stored at step {self._number(self._places.executed[event.id])}."
            return
        if event.read is not None and KINDS[event.kind] not in (*SCHEDULING, Kind.CHOOSE):
            yield self._origin(event)
        if event.is_buffered:
            committed = self._places.commit(event.id)
            if committed is not None:
                yield f"It waits in the store buffer and reaches memory at step {self._number(committed)}."
            elif event.committed is None:
                yield "It waits in the store buffer; this execution ends before it reaches memory."

    def _origin(self, event: Event) -> str:
        if event.source is None:
            return "It reads the initial value."
        source = self._trace.events[event.source]
        place = self._places.executed.get(source.id)
        step = f" at step {self._number(place)}" if place is not None else ""
        buffer = " through its own store buffer" if is_forwarded(event, self._trace) else ""
        return f"It reads what {thread_words(source.thread)} wrote{step}{buffer}."

    def _number(self, place: int) -> int:
        row = self._moments[place].row
        return row.number if row else 0
