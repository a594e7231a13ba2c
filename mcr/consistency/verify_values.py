"""Good-writes where stores are buffered: VerifySC of [agarwal-2021] over the two phases of a write of [bui-2021].

Neither paper has it. A prefix is a lower set of thread events and memory-writes. Its future depends on which events it
contains and on the memory map, the last write of each location in memory. What a load reads follows from these: its
own po-latest write while that waits in a buffer (where the model lets it read meanwhile), and memory otherwise. So
prefixes with the same events and memory map are alike, as in VerifySC: at most n^(2*k) * k^d of them under TSO, and
n^(k + k*d) * k^d under PSO.

Executed at once, as nothing is gained by waiting: a thread event that writes no memory, since it changes what no other
thread reads, and the loads of its own thread come after it in any case; and a memory-write that no read wants in place
of such a one ([agarwal-2021] section 4.2, heuristic 1). If such a memory-write comes later in a witness, no read until
then reads its location from memory, unless another write came between; and a load to which it is forwarded wants it.

The closure is that of the reads with one good-write: every witness respects it, whatever the others read.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcr.consistency.instance import NOWHERE, InstanceAction, SearchOptions
from mcr.consistency.phases import Need, Phases, Prefix
from mcr.consistency.search import WitnessSearch


class VerifyValues(WitnessSearch):
    """Decides whether (X, GoodW) is realizable under a model with buffers.

    _good     by read: its good-writes, the initial one by its name
    _wanted   by write: the reads that have it as a good-write
    _own      by read: where the po-latest write of its own thread to its location reaches memory, None for none
    """

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        super().__init__(phases, how)
        self.at_once = range(len(phases.chains))
        self._good = {read: phases.good(read) for read in self.instance.good}
        self._wanted: dict[int, list[int]] = {}
        for read, writes in self._good.items():
            for write in writes:
                self._wanted.setdefault(write, []).append(read)
        self._own = {read: self._buffered_before(read) for read in self.instance.good}

    def _buffered_before(self, read: int) -> tuple[int, Need] | None:
        own = self.instance.own_write_before(read)
        return None if own is None else (own, self.phases.effect[own])

    def candidates(self, prefix: Prefix) -> Iterable[int]:
        return range(len(self.phases.chains))

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        """Events and memory map."""
        return (*prefix.counts, *prefix.active)

    def can_execute(self, prefix: Prefix, chain: int) -> bool:
        """Executable: its needs are met, it reads a good-write, and overwrites nothing that a read still has to get."""
        if not prefix.can_execute(chain):
            return False
        event = prefix.next(chain)
        assert event is not None
        action = self.instance.actions[event.action]
        if not event.commits and action.reads and self._source(prefix, action) not in self._good[action.id]:
            return False
        return event.writes == NOWHERE or not self._is_held(prefix, action)

    def _source(self, prefix: Prefix, read: InstanceAction) -> int:
        """The write that a read would read from now: forwarded by the own buffer, else in memory."""
        own = self._own[read.id]
        if own is not None and not self._has(prefix, own[1]):
            return own[0]
        return prefix.active[read.location]

    @staticmethod
    def _has(prefix: Prefix, effect: Need) -> bool:
        return prefix.counts[effect[0]] >= effect[1]

    def _is_held(self, prefix: Prefix, by: InstanceAction) -> bool:
        """Returns whether a read other than `by` has no good-write but those that have reached memory already."""
        return any(
            read != by.id
            and not self._is_read(prefix, read)
            and all(write < 0 or self._has(prefix, self.phases.effect[write]) for write in self._good[read])
            for read in self.instance.readers.get(by.location, ())
        )

    def _is_read(self, prefix: Prefix, read: int) -> bool:
        action = self.instance.actions[read]
        return prefix.counts[action.thread] > action.index

    def is_harmless(self, prefix: Prefix, chain: int) -> bool:
        if not self.can_execute(prefix, chain):
            return False
        event = prefix.next(chain)
        assert event is not None
        if event.writes == NOWHERE:
            return True
        if self.instance.actions[event.action].reads:
            return False
        return not self._is_wanted(prefix, event.action) and not self._is_wanted(prefix, prefix.active[event.writes])

    def _is_wanted(self, prefix: Prefix, write: int) -> bool:
        return any(not self._is_read(prefix, read) for read in self._wanted.get(write, ()))
