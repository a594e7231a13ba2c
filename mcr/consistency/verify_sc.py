"""VerifySC: [agarwal-2021] section 4.1, Algorithm 1, with the heuristics of section 4.2.

Witness states are pairs (events, memory map). When each read has one good
write, the memory map cannot matter and is left out: at most n^k states; with
good-writes n^k * k^d.

Deviations. (1) An atomic block (rmw, lock) is one event: a read that has an
active good-write, and whose write finds the location held by no other read.
(2) Initial values are good-writes of a thread of their own.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcr.consistency.instance import NOWHERE, InstanceAction, SearchOptions
from mcr.consistency.phases import Phases, Prefix
from mcr.consistency.search import WitnessSearch


class VerifySC(WitnessSearch):
    """Decides whether (X, GoodW) is realizable where no store is buffered.

    wanted  by write, `initial(x)` for initial values: the reads that have it as a good-write
    """

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        super().__init__(phases, how)
        self.at_once = range(phases.threads)
        self._good = {read: phases.good(read) for read in self.instance.good}
        self._wanted: dict[int, list[InstanceAction]] = {}
        for read, writes in self._good.items():
            for write in writes:
                self._wanted.setdefault(write, []).append(self.instance.actions[read])

    def candidates(self, prefix: Prefix) -> Iterable[int]:
        """Line 5: all threads."""
        return range(self.phases.threads)

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        """Line 7: the witness state, events and memory map."""
        if self.instance.is_rf:
            return tuple(prefix.counts)
        actions = self.instance.actions
        return (*prefix.counts, *(actions[write].thread if write >= 0 else -1 for write in prefix.active))

    def can_execute(self, prefix: Prefix, chain: int) -> bool:
        """Executable: minimal in program order (and closure), reads an active good-write, overwrites nothing held.

        Where each read has one good-write, that is active: nothing overwrites it before it was read.
        """
        if not prefix.can_execute(chain):
            return False
        if self.instance.is_rf:
            return True
        action = self._next(prefix, chain)
        if action.reads and prefix.active[action.location] not in self._good[action.id]:
            return False
        return not action.writes or not self._is_held(prefix, action)

    def _next(self, prefix: Prefix, chain: int) -> InstanceAction:
        event = prefix.next(chain)
        assert event is not None
        return self.instance.actions[event.action]

    def _is_held(self, prefix: Prefix, by: InstanceAction) -> bool:
        """Returns whether a read other than `by` has no good-write but those that are in the prefix already."""
        return any(
            read != by.id
            and not self._contains(prefix, self.instance.actions[read])
            and all(write < 0 or self._contains(prefix, self.instance.actions[write]) for write in self._good[read])
            for read in self.instance.readers.get(by.location, ())
        )

    @staticmethod
    def _contains(prefix: Prefix, action: InstanceAction) -> bool:
        return prefix.counts[action.thread] > action.index

    def is_harmless(self, prefix: Prefix, chain: int) -> bool:
        """Section 4.2, 1: an event that writes nothing, or a write that no read wants in place of such a one."""
        if not self.can_execute(prefix, chain):
            return False
        action = self._next(prefix, chain)
        if not action.writes:
            return True
        if action.reads or action.location == NOWHERE:
            return False
        return not self._is_wanted(prefix, action.id) and not self._is_wanted(prefix, prefix.active[action.location])

    def _is_wanted(self, prefix: Prefix, write: int) -> bool:
        return any(not self._contains(prefix, read) for read in self._wanted.get(write, ()))
