"""VerifyTSO: [bui-2021] section 4.1, Algorithm 1, with the atomic blocks of section 4.4.

It enumerates the lower sets of the memory-writes, and for each keeps one
prefix, maximal in the thread events: O(k * n^(k+1)) for n events of k threads.

Nothing in the argument needs one buffer per thread, nor that loads are
forwarded: the enumeration is complete for any order of the memory-writes, and
whatever thread events wait for; only the number of lower sets grows. So it
decides every model with buffers that the paper does not treat, and PSO where
there are store fences.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcr.consistency.instance import NOWHERE, SearchOptions
from mcr.consistency.phases import Phases, Prefix
from mcr.consistency.search import WitnessSearch


class VerifyTSO(WitnessSearch):
    """Decides whether (X, RF) is realizable under TSO, or any model with buffers; each read has one source."""

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        super().__init__(phases, how)
        self.at_once = range(phases.threads)
        self._writes: list[list[int]] = []
        """By chain and number of its events: how many of these write memory."""
        for chain in phases.chains:
            counts = [0]
            for event in chain:
                counts.append(counts[-1] + (event.writes != NOWHERE))
            self._writes.append(counts)

    def is_harmless(self, prefix: Prefix, chain: int) -> bool:
        """Lines 4-5: the prefix becomes maximal in the thread events that write no memory."""
        event = prefix.next(chain)
        return event is not None and event.writes == NOWHERE and prefix.can_execute(chain)

    def candidates(self, prefix: Prefix) -> Iterable[int]:
        """Line 7: whatever is executable now writes memory."""
        return range(len(self.phases.chains))

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        """Line 9: W^M(sigma), the set of memory-writes, by its number in each chain."""
        return tuple([counts[count] for counts, count in zip(self._writes, prefix.counts, strict=True)])
