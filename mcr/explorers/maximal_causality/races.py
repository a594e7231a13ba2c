"""The data races of single traces ([huang-2016] table 5)."""

from __future__ import annotations

from itertools import combinations

from mcr.explorers.maximal_causality.recording import Observation, Observed
from replay.machine.state import LocationId
from replay.world.memory_model import Access
from replay.world.operation import Kind, Source

Race = tuple[str, Source | None, Source | None]
"""A location, and the two program lines that access it."""

Events = int
"""A set of events, by number, as a bit set."""


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
        accesses: dict[LocationId, list[Observed]] = {}
        for event in trace.events.values():
            if event.access in (Access.LOAD, Access.STORE) and event.before.loc >= 0:
                accesses.setdefault(event.before.loc, []).append(event)
        before = _happens_before(trace)
        for location, events in accesses.items():
            for first, second in combinations(events, 2):
                conflict = first.thread != second.thread and (first.is_store or second.is_store)
                if conflict and not before[second.id] >> first.id & 1:
                    one, two = sorted((_line(first), _line(second)), key=repr)
                    self.found[trace.unfolding.locations[location].name, one, two] = None


def _line(event: Observed) -> Source | None:
    return event.before.operation.source if event.before.operation else None


def _happens_before(trace: Observation) -> dict[int, Events]:
    """Returns the events before each event by program order and synchronisation, which passes them on through
    locations."""
    done: dict[int, Events] = {}
    passed: dict[LocationId, Events] = {}
    before: dict[int, Events] = {}
    for event in trace.events.values():
        if event.kind is None:
            continue
        found = done.get(event.thread, 0)
        if event.kind in (Kind.JOIN, Kind.FINAL):
            for thread, events in trace.threads.items():
                end = events[-1]
                if end.kind is None and (event.kind is Kind.FINAL or trace.location(end) == event.before.loc):
                    found |= done.get(thread, 0)
        elif event.access is Access.BARRIER:
            found |= passed.get(event.before.loc, 0)
        before[event.id] = found
        done[event.thread] = found | 1 << event.id
        if event.access is Access.BARRIER and event.before.loc >= 0:
            passed[event.before.loc] = passed.get(event.before.loc, 0) | done[event.thread]
    return before
