"""A prefix of a witness under construction: [bui-2021] section 4, held variables and executable events."""

from __future__ import annotations

from mcr.consistency.instance import NOWHERE, Move, Witness
from mcr.consistency.phases import Phases

Trail = tuple["Trail", int, int] | None
"""The events of a prefix, last first: (those before, chain, position)."""


class Prefix:
    """A trace that may extend to a witness, as far as its future depends on it.

    counts   how many events of each chain it contains
    active   per location its last write in memory; at first the initial one
    """

    __slots__ = ("_phases", "_trail", "active", "counts")

    def __init__(self, phases: Phases) -> None:
        self._phases = phases
        self._trail: Trail = None
        self.counts = [0] * len(phases.chains)
        locations = 1 + max((action.location for action in phases.instance.actions), default=NOWHERE)
        self.active = [phases.initial(location) for location in range(locations)]

    def copy(self) -> Prefix:
        twin: Prefix = object.__new__(Prefix)
        twin._phases = self._phases
        twin._trail = self._trail
        twin.counts = self.counts[:]
        twin.active = self.active[:]
        return twin

    @property
    def is_complete(self) -> bool:
        return all(count == len(chain) for count, chain in zip(self.counts, self._phases.chains, strict=True))

    def is_held(self, location: int, but_for: tuple[int, int] = (NOWHERE, 0)) -> bool:
        """Whether the last write of the location has a reader that is not executed.

        `but_for`, (thread, count), is a reader that does not matter: the rmw that is about to replace the write.
        """
        counts = self.counts
        for need in self._phases.readers.get(self.active[location], ()):
            if counts[need[0]] < need[1] and need != but_for:
                return True
        return False

    def can_execute(self, chain: int) -> bool:
        """Whether the chain's next event is executable."""
        counts = self.counts
        position = counts[chain]
        events = self._phases.chains[chain]
        if position == len(events):
            return False
        event = events[position]
        for other, count in event.needs:
            if counts[other] < count:
                return False
        return event.writes == NOWHERE or not self.is_held(event.writes, (chain, position + 1))

    def next_writes_memory(self, chain: int) -> bool:
        """Whether the chain's next event is a memory-write or an atomic block with one."""
        events, position = self._phases.chains[chain], self.counts[chain]
        return position < len(events) and events[position].writes != NOWHERE

    def execute(self, chain: int) -> None:
        """Extend the prefix with the chain's next event. The caller has checked that it is executable."""
        position = self.counts[chain]
        event = self._phases.chains[chain][position]
        self._trail = (self._trail, chain, position)
        self.counts[chain] = position + 1
        if event.writes != NOWHERE:
            self.active[event.writes] = event.action

    def witness(self) -> Witness:
        """The events of the prefix, in order."""
        moves: list[Move] = []
        trail = self._trail
        while trail is not None:
            trail, chain, position = trail
            event = self._phases.chains[chain][position]
            moves.append(Move(event.action, event.commits))
        return tuple(reversed(moves))
