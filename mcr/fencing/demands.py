"""Which fences would forbid a failing execution: whoever repairs the program needs one of them.

A fence between two parts of a thread forbids an execution in which something of
the later part takes effect before a store of the earlier part is in memory. Where
nothing does, the execution stays possible with the fence in it: stores that come after
the fence can enter the buffer when they are needed, and what they become is the same.
So a set of fences, none of which forbids the execution, leaves the failure in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mcr.fencing.fence import Fence, FenceSet
from mcr.fencing.places import Places
from replay.code.fences import Line
from replay.traces.trace import Event, Trace
from replay.world.operation import KINDS, Kind

Place = tuple[Line, int]
"""Where a fence could be, and how many operations its thread executes before."""


def forbidding(trace: Trace, places: Places) -> FenceSet:
    """The fences at these places that forbid the execution, each by itself."""
    found: set[Fence] = set()
    for thread in trace.threads:
        events = list(trace.of_thread(thread))
        for line, count in _places(events, places):
            kinds = (kind for kind in places.known[line] if _forbids(kind, events[:count], events[count:]))
            found.update(Fence(line, kind) for kind in kinds)
    return frozenset(found)


def _places(events: Sequence[Event], places: Places) -> Iterator[Place]:
    for position, event in enumerate(events):
        line = places.at(event)
        if line is not None:
            yield line, position + 1


def _forbids(kind: Kind, before: Sequence[Event], after: Sequence[Event]) -> bool:
    """Whether something after the fence takes effect before a store that it waits for is in memory."""
    last = max((_moment(event) for event in before if _is_store(event)), default=-math.inf)
    later = (event for event in after if (_is_store(event) if kind is Kind.STORE_FENCE else _takes_effect(event)))
    return any(_moment(event) < last for event in later)


def _moment(event: Event) -> float:
    """The step in which an event takes effect."""
    if not _is_store(event):
        return event.executed
    return math.inf if event.committed is None else event.committed


def _is_store(event: Event) -> bool:
    return KINDS[event.kind] is Kind.STORE


def _takes_effect(event: Event) -> bool:
    return KINDS[event.kind] not in (Kind.CHOOSE, Kind.STORE_FENCE)
