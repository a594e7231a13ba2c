"""rf, co, fr, ppo and a forbidden cycle as arrows between moments; and all that the script of a timeline shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcr.diagnosis.reordering import Reordering
from mcr.executions.relations import Relations, neighbours, relations
from mcr.report.explanation import thread_words
from mcr.report.interleaving import is_forwarded
from mcr.report.source import line_words
from mcr.report.timeline.moments import Moment, StateView, shown_text
from replay.traces.trace import Trace, TraceEvent
from replay.world.operation import KINDS, SCHEDULING, Kind

BEGINNING = 0
"""The moment in which locations have their initial values."""


@dataclass(frozen=True)
class Arrow:
    """An arrow of a relation from one moment to another."""

    relation: str
    source: int
    target: int


@dataclass(frozen=True)
class Delay:
    """The time that a store spends in its buffer, as a bar in lane `lane` of its thread; no end if it stays there."""

    thread: str
    source: int
    target: int | None
    lane: int


class EventMoments:
    """In which moment an event was executed, and in which it reached memory."""

    def __init__(self, moments: Sequence[Moment]) -> None:
        rows = [(place, moment.row) for place, moment in enumerate(moments) if moment.row is not None]
        self.executed = {row.event: place for place, row in rows if not row.commit}
        self._committed = {row.event: place for place, row in rows if row.commit}

    def effect(self, event: int) -> int | None:
        """Returns the place where an event takes effect in memory; where it is executed if its store never does."""
        return self._committed.get(event, self.executed.get(event))

    def commit(self, event: int) -> int | None:
        return self._committed.get(event)


def arrows(trace: Trace, moments: Sequence[Moment], reordering: Reordering | None) -> list[Arrow]:
    """All arrows, relation by relation; each begins and ends where its events take effect."""
    places, found = EventMoments(moments), relations(trace)
    pairs = [
        *(("rf", *pair) for pair in _reads_from(trace, found, places)),
        *(("co", places.effect(one), places.effect(two)) for one, two in neighbours(found.co)),
        *(("fr", places.effect(read), places.effect(write)) for read, write in _from_reads(trace, found)),
        *(("ppo", places.effect(one), places.effect(two)) for one, two in found.ppo),
    ]
    if reordering is not None:
        pairs += [("cycle", places.effect(edge.source), places.effect(edge.target)) for edge in reordering.cycle]
    return [
        Arrow(relation, source, target)
        for relation, source, target in pairs
        if source is not None and target is not None and source != target
    ]


def _reads_from(trace: Trace, found: Relations, places: EventMoments) -> Iterator[tuple[int | None, int | None]]:
    """From the store's commit to the read; from the store itself if the buffer served the read."""
    for read, source in found.rf.items():
        if KINDS[trace.events[read].kind] in SCHEDULING:
            continue
        if source is None:
            yield BEGINNING, places.executed.get(read)
        elif is_forwarded(trace.events[read], trace):
            yield places.executed.get(source), places.executed.get(read)
        else:
            yield places.effect(source), places.executed.get(read)


def _from_reads(trace: Trace, found: Relations) -> Iterator[tuple[int, int]]:
    """fr, to stores that stay in their buffer as well: they would reach memory after everything else."""
    yield from found.fr
    answered = {read for read, _ in found.fr}
    staying = [event for event in trace.events if event.written is not None and event.committed is None]
    for read, source in found.rf.items():
        location = trace.events[read].location
        following = (event.id for event in staying if event.location == location and event.id != source)
        if read not in answered and (first := next(following, None)) is not None:
            yield read, first


def delays(trace: Trace, moments: Sequence[Moment]) -> list[Delay]:
    """The delayed stores, each in the first lane of its thread that is free."""
    places = EventMoments(moments)
    found: list[Delay] = []
    for event in trace.events:
        if event.is_buffered and _is_late(event):
            source = places.executed[event.id]
            taken = {
                other.lane
                for other in found
                if other.thread == event.thread and (other.target is None or other.target >= source)
            }
            lane = next(lane for lane in range(len(taken) + 1) if lane not in taken)
            found.append(Delay(event.thread, source, places.commit(event.id), lane))
    return found


def _is_late(event: TraceEvent) -> bool:
    """Returns whether the commit is a row of its own."""
    return event.committed is None or event.committed > event.executed + 1


SHEET = 28
"""Rows that fit on one sheet of paper; arrows are printed if all rows do."""


def page_data(
    trace: Trace, moments: Sequence[Moment], arrows: Sequence[Arrow], delays: Sequence[Delay]
) -> dict[str, Any]:
    """Plain data: `moments` as the reader meets them, `arrows` and `delays` between them."""
    telling = _MomentWords(trace, moments)
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


class _MomentWords:
    """Words about each moment."""

    def __init__(self, trace: Trace, moments: Sequence[Moment]) -> None:
        self._trace = trace
        self._moments = moments
        self._places = EventMoments(moments)

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
        """Yields where values come from and go to."""
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

    def _origin(self, event: TraceEvent) -> str:
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
