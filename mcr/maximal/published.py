"""Seeds as published, permutable ones included ([huang-2016] 2.2, 4.6).

Each seed preserves its parent's prefix, order and all, and keeps of the rest
only what it needs.
"""

from __future__ import annotations

from collections import deque

from mcr.maximal.enforce import Seed
from mcr.maximal.observation import Observation
from mcr.maximal.questions import Asker, is_determined, other_values, reads
from replay.state import State


class Published:
    """First come, first served; a seed that promises just what an earlier one did is not run again."""

    def __init__(self, asker: Asker) -> None:
        self.skipped = 0
        self._asker = asker
        self._seeds: deque[Seed] = deque()
        self._known: set[object] = set()

    def next_seed(self) -> Seed | None:
        """The seed that waited longest; None if there is none."""
        return self._seeds.popleft() if self._seeds else None

    def learn(self, seed: Seed, trace: Observation, stuck: list[State]) -> None:
        """Ask for every load that the seed does not freeze, and every other value."""
        frozen = [trace.event_at(event.before) for event in seed.events]
        promised = {event.before for event in seed.events}
        values = reads(trace)
        loads = [state for state in values if state not in promised and not is_determined(state)]
        for state in (*loads, *stuck):
            known = (values[state],) if state in values else ()
            for value in other_values(trace, state, known):
                found = self._asker.ask(trace, [(state, value)], frozen, in_order=True)
                if found is not None:
                    self._add(found)

    def _add(self, seed: Seed) -> None:
        promise = frozenset(seed.promised)
        if promise in self._known:
            self.skipped += 1
        else:
            self._known.add(promise)
            self._seeds.append(seed)
