"""Lines 17 and 18 of algorithm 2: the writes of a trace that a read may read from, by the value that they write."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.executions.execution import Place
from mcr.exploration.events import Counts, Event, Trace, contains
from mcr.explorers.rvf_smc.calls import CausalMap
from replay.machine.state import LocationId, State
from replay.world.values import ValueId

Writes = list[tuple[Place | None, ValueId]]
"""Writes, None for the initial one, with what they write."""


def writes_to(trace: Trace, loc: LocationId) -> Writes:
    """All writes of a location, the initial one first."""
    written = [(event.place, event.wrote) for event in trace.events if event.writes and event.loc == loc]
    return [(None, trace.machine.unfolding.initial[loc]), *written]


def groups(trace: Trace, state: State, causal: CausalMap) -> dict[ValueId, frozenset[Place | None]]:
    """Line 18: the values that a thread may read next, and from whom; an update that waits takes no others."""
    found: dict[ValueId, set[Place | None]] = {}
    for place, value in _viable(trace, state, causal):
        if trace.machine.unfolding.accepts(state, value):
            found.setdefault(value, set()).add(place)
    return {value: frozenset(places) for value, places in found.items()}


def _viable(trace: Trace, state: State, causal: CausalMap) -> Iterator[tuple[Place | None, ValueId]]:
    """Line 17: what its own thread has not overwritten, and C does not forbid."""
    read = (state.thread, state.depth)
    writes = writes_to(trace, state.loc)
    own = max((place for place, _ in writes if place and place[0] == state.thread), default=None)
    for place, value in writes:
        is_hidden = own is not None and own != place and (place is None or place[0] == state.thread)
        if not is_hidden and not _is_forbidden(place, causal.get(read)):
            yield place, value


def _is_forbidden(write: Place | None, counts: Counts | None) -> bool:
    """forbids: whether C says that the read was processed when this write was there. The initial one always is."""
    return counts is not None and (write is None or contains(counts, write))


def unaccepted(trace: Trace, waiting: list[State]) -> dict[LocationId, list[Place | None]]:
    """By location for which threads wait in these states: the writes after which all of them go on waiting."""
    accepts = trace.machine.unfolding.accepts
    found: dict[LocationId, list[Place | None]] = {}
    for loc in dict.fromkeys(state.loc for state in waiting):
        here = [state for state in waiting if state.loc == loc]
        found[loc] = [
            place for place, value in writes_to(trace, loc) if not any(accepts(state, value) for state in here)
        ]
    return found


def executed(trace: Trace) -> Counts:
    """How many events of each thread a trace has: what C says of a read that was processed there."""
    return {state.thread: state.depth for state in trace.machine.states if state.depth}


def reading(state: State, value: ValueId, trace: Trace) -> Event:
    """The event of a read that gets that value."""
    return Event(state, None, trace.machine.unfolding.would_write(state, value))
