"""The loop that VerifySC, VerifyTSO and VerifyPSO share: prefixes of a trace grow, one for each key, until one is all.

    worklist = [empty prefix]
    while worklist:
        take the latest prefix; execute in it what cannot do harm     (`execute_at_once`)
        if it is whole, it is a witness
        for each chain that may be next:                              (`candidates`)
            extend the prefix by the chain's next event, if it can be (`extended`)
            keep what comes of it, unless one like it was kept        (`key`)

What is harmless, who may be next, and which prefixes are alike is what the three procedures differ in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from mcr.consistency.instance import Realization, SearchOptions
from mcr.consistency.phases import Phases, Prefix


class WitnessSearch(ABC):
    """A search for a witness of one instance."""

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        self.phases = phases
        self.instance = phases.instance
        self.how = how
        self.at_once: Sequence[int] = ()
        """The chains whose events may be harmless."""
        self._rank = {action: place for place, action in enumerate(how.guide)}
        """The place of each action in the auxiliary trace, if there is one."""

    def run(self) -> Realization:
        """Decides whether the instance is realizable. Raises what `SearchOptions.watch` raises."""
        if self.instance.is_rf and not self.phases.is_possible:
            return Realization(None)
        worklist, done, explored = [Prefix(self.phases)], set[tuple[object, ...]](), 0
        while worklist:
            prefix = worklist.pop()
            explored += 1
            self.how.watch()
            self.execute_at_once(prefix)
            if prefix.is_complete:
                return Realization(prefix.witness(), explored)
            for chain in self._in_order(prefix):
                extended = self.extended(prefix, chain)
                if extended is not None and (key := self.key(extended)) not in done:
                    done.add(key)
                    worklist.append(extended)
        return Realization(None, explored)

    def execute_at_once(self, prefix: Prefix) -> None:
        """Extend the prefix itself with events for which there is no alternative to be tried."""
        waiting = True
        while waiting:
            waiting = False
            for chain in self.at_once:
                while self.is_harmless(prefix, chain):
                    prefix.execute(chain)
                    waiting = True

    def is_harmless(self, prefix: Prefix, chain: int) -> bool:
        """Returns whether the next event of a chain of `at_once` is executable, and may be executed before all
        others."""
        raise NotImplementedError

    @abstractmethod
    def candidates(self, prefix: Prefix) -> Iterable[int]:
        """The chains of which one comes next."""

    def can_execute(self, prefix: Prefix, chain: int) -> bool:
        """Returns whether the chain's next event is executable."""
        return prefix.can_execute(chain)

    def extended(self, prefix: Prefix, chain: int) -> Prefix | None:
        """The prefix with the chain's next event; None if that cannot be."""
        if not self.can_execute(prefix, chain):
            return None
        extended = prefix.copy()
        extended.execute(chain)
        return extended

    @abstractmethod
    def key(self, prefix: Prefix) -> tuple[object, ...]:
        """Returns what the future of a prefix depends on: of those with one key, one is kept."""

    def _in_order(self, prefix: Prefix) -> Iterable[int]:
        """The candidates, the one that goes first in the auxiliary trace last, since the worklist is a stack."""
        if not self._rank:
            return self.candidates(prefix)
        return sorted(self.candidates(prefix), key=lambda chain: -self._next_rank(prefix, chain))

    def _next_rank(self, prefix: Prefix, chain: int) -> int:
        event = prefix.next(chain)
        return 0 if event is None else self._rank.get(event.action, 0)
