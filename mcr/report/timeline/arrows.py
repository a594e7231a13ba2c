"""rf, co, fr, ppo and a forbidden cycle as arrows between the moments of a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcr.diagnosis.reordering import Reordering
from mcr.executions.relations import Relations, neighbours, relations
from mcr.report.interleaving import is_forwarded
from mcr.report.timeline.moments import Moment
from replay.traces.trace import Event, Trace
from replay.world.operation import KINDS, SCHEDULING

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


class Places:
    """In which moment an event was executed, and in which it reached memory."""

    def __init__(self, moments: Sequence[Moment]) -> None:
        rows = [(place, moment.row) for place, moment in enumerate(moments) if moment.row is not None]
        self.executed = {row.event: place for place, row in rows if not row.commit}
        self._committed = {row.event: place for place, row in rows if row.commit}

    def effect(self, event: int) -> int | None:
        """Where an event takes effect in memory; where it is executed if its store never does."""
        return self._committed.get(event, self.executed.get(event))

    def commit(self, event: int) -> int | None:
        return self._committed.get(event)


def arrows(trace: Trace, moments: Sequence[Moment], reordering: Reordering | None) -> list[Arrow]:
    """All arrows, relation by relation; each begins and ends where its events take effect."""
    places, found = Places(moments), relations(trace)
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


def _reads_from(trace: Trace, found: Relations, places: Places) -> Iterator[tuple[int | None, int | None]]:
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
    places = Places(moments)
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


def _is_late(event: Event) -> bool:
    """Whether the commit is a row of its own."""
    return event.committed is None or event.committed > event.executed + 1
