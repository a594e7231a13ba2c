"""Data races of a trace: conflicting plain accesses that synchronisation leaves unordered ([huang-2016] table 5)."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.explorers.maximal_causality.observation import Observation, Observed
from replay.world.memory_model import Access
from replay.world.operation import Kind, Source

Race = tuple[str, Source | None, Source | None]
"""A location, and the two program lines that access it."""

Clock = dict[int, int]
"""By thread, how many of its events are known to come before."""


class RaceFinder:
    """Collects the races of all traces that it is shown.

    Two accesses race if they are of different threads, one of them is a plain
    store and the other a plain access, and no chain of program order and
    synchronisation (spawn, join, lock, rmw) leads from one to the other.
    """

    def __init__(self) -> None:
        self.found: dict[Race, None] = {}

    def look_at(self, trace: Observation) -> None:
        """Take in the races of one trace."""
        clocks = _clocks(trace)
        for events in _by_location(trace).values():
            for number, second in enumerate(events):
                for first in events[:number]:
                    if first.thread != second.thread and (first.is_store or second.is_store):
                        self._compare(trace, first, second, clocks[second.id])

    def _compare(self, trace: Observation, first: Observed, second: Observed, clock: Clock) -> None:
        if clock.get(first.thread, 0) <= first.depth:
            lines = sorted((_line(first), _line(second)), key=repr)
            self.found[trace.unfolding.locations[first.before.loc].name, lines[0], lines[1]] = None


def _by_location(trace: Observation) -> dict[int, list[Observed]]:
    found: dict[int, list[Observed]] = {}
    for event in trace.events.values():
        if event.access in (Access.LOAD, Access.STORE) and event.before.loc >= 0:
            found.setdefault(event.before.loc, []).append(event)
    return found


def _line(event: Observed) -> Source | None:
    return event.before.operation.source if event.before.operation else None


def _clocks(trace: Observation) -> dict[int, Clock]:
    """For each event what comes before it, own events apart; synchronisation passes clocks on through locations."""
    threads: dict[int, Clock] = {}
    passed: dict[int, Clock] = {}
    clocks: dict[int, Clock] = {}
    for event in trace.events.values():
        if event.kind is None:
            continue
        clock = threads.get(event.thread, {})
        for other in _acquired(trace, event, threads, passed):
            clock = _merged(clock, other)
        threads[event.thread] = clocks[event.id] = clock
        if event.access is Access.BARRIER and event.before.loc >= 0:
            released = _merged(clock, {event.thread: event.depth + 1})
            passed[event.before.loc] = _merged(passed.get(event.before.loc, {}), released)
    return clocks


def _acquired(
    trace: Observation, event: Observed, threads: dict[int, Clock], passed: dict[int, Clock]
) -> Iterator[Clock]:
    """The clocks that an event takes over."""
    if event.kind in (Kind.JOIN, Kind.FINAL):
        for end in trace.events.values():
            if end.kind is None and (event.kind is Kind.FINAL or trace.location(end) == event.before.loc):
                yield _merged(threads.get(end.thread, {}), {end.thread: end.depth})
    elif event.access is Access.BARRIER and event.before.loc in passed:
        yield passed[event.before.loc]


def _merged(clock: Clock, other: Clock) -> Clock:
    return {**clock, **{thread: max(count, clock.get(thread, 0)) for thread, count in other.items()}}
