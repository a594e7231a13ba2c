"""What a call of RVF-SMC is given; what is left to do in it; backtrack signals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from mcr.executions.equivalence import Place
from mcr.exploration.events import Counts, Event, GrowingTrace, contains
from mcr.exploration.realizing import Sources
from replay.machine.machine import Choice
from replay.machine.state import LocationId, State
from replay.world.values import ValueId

Good = Mapping[Place, Sources]
"""GoodW: by read, the writes that it may read from; all of them write one value."""

CausalMap = Mapping[Place, Counts]
"""C: by read, how many events of each thread have no write any more that it may read from."""


@dataclass(eq=False, slots=True)
class Signal:
    """A backtrack signal: whether a write turned up that a read might read from, and could not when it was processed.

    loc, thread  of the read
    is_sent      whether it did
    """

    loc: LocationId
    thread: int
    is_sent: bool = False

    def notice(self, event: Event) -> None:
        """Lines 2 to 5, for one event."""
        if event.writes and event.loc == self.loc and event.state.thread != self.thread:
            self.is_sent = True


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """RVF-SMC(X, GoodW, sigma, C).

    sigma      a schedule that executes X, and shows GoodW
    good       GoodW
    causal     C
    processed  the read that the caller added to X
    ancestors  the signals that callers wait for
    """

    sigma: tuple[Choice, ...] = ()
    good: Good = field(default_factory=dict)
    causal: CausalMap = field(default_factory=dict)
    processed: Place | None = None
    ancestors: tuple[Signal, ...] = ()
    depth_first: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """What is left of the while-loop of a call.

    call    the call, with C as it is now
    trace   sigma, extended by all that is no read
    mutate  the reads that were not processed yet, one at least
    signal  what the loop goes on for; None if it does so in any case
    """

    call: Call
    trace: GrowingTrace
    mutate: tuple[Place, ...]
    signal: Signal | None = None
    depth_first: ClassVar[bool] = True


Writes = list[tuple[Place | None, ValueId]]
"""Writes, None for the initial one, with what they write."""


def writes_to(trace: GrowingTrace, loc: LocationId) -> Writes:
    """All writes of a location, the initial one first."""
    written = [(event.place, event.wrote) for event in trace.events if event.writes and event.loc == loc]
    return [(None, trace.machine.unfolding.initial[loc]), *written]


def groups(trace: GrowingTrace, state: State, causal: CausalMap) -> dict[ValueId, frozenset[Place | None]]:
    """Line 18: the values that a thread may read next, and from whom; an update that waits takes no others."""
    found: dict[ValueId, set[Place | None]] = {}
    for place, value in _viable(trace, state, causal):
        if trace.machine.unfolding.accepts(state, value):
            found.setdefault(value, set()).add(place)
    return {value: frozenset(places) for value, places in found.items()}


def _viable(trace: GrowingTrace, state: State, causal: CausalMap) -> Iterator[tuple[Place | None, ValueId]]:
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


def unaccepted(trace: GrowingTrace, waiting: list[State]) -> dict[LocationId, list[Place | None]]:
    """By location for which threads wait in these states: the writes after which all of them go on waiting."""
    accepts = trace.machine.unfolding.accepts
    found: dict[LocationId, list[Place | None]] = {}
    for loc in dict.fromkeys(state.loc for state in waiting):
        here = [state for state in waiting if state.loc == loc]
        found[loc] = [
            place for place, value in writes_to(trace, loc) if not any(accepts(state, value) for state in here)
        ]
    return found


def executed(trace: GrowingTrace) -> Counts:
    """How many events of each thread a trace has: what C says of a read that was processed there."""
    return {state.thread: state.depth for state in trace.machine.states if state.depth}


def reading(state: State, value: ValueId, trace: GrowingTrace) -> Event:
    """The event of a read that gets that value."""
    return Event(state, None, trace.machine.unfolding.would_write(state, value))
