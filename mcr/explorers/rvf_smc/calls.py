"""What a call of RVF-SMC is given; what is left to do in it; backtrack signals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from mcr.executions.execution import Place
from mcr.exploration.events import Counts, Event, Trace
from mcr.exploration.realizing import Sources
from replay.machine.machine import Choice
from replay.machine.state import LocationId

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
    trace: Trace
    mutate: tuple[Place, ...]
    signal: Signal | None = None
    depth_first: ClassVar[bool] = True
