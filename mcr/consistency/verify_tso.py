"""VerifyTSO: [bui-2021] section 4.1, Algorithm 1, with the atomic blocks of section 4.4.

It enumerates the lower sets of the memory-writes, and for each keeps one
prefix, maximal in the thread events: O(k * n^(k+1)) for n events of k threads.

Nothing in the argument needs one buffer per thread, nor that loads are
forwarded: the enumeration is complete for any order of the memory-writes, and
whatever thread events wait for; only the number of lower sets grows. So it
decides every model with buffers that the paper does not treat, and
`maximal_search` is what VerifyPSO falls back to when there are store fences.
"""

from __future__ import annotations

from mcr.consistency.instance import NOWHERE, Answer, SearchOptions
from mcr.consistency.phases import Phases, Prefix


def verify_tso(phases: Phases, how: SearchOptions) -> Answer:
    """Whether (X, RF) is realizable under TSO, or any model with buffers; each read has one source."""
    return maximal_search(phases, how)


def maximal_search(phases: Phases, how: SearchOptions) -> Answer:
    """Algorithm 1 over the memory-writes of `phases`, in whatever order its model keeps them."""
    if not phases.is_possible:
        return Answer(None)
    writes = _WriteCounts(phases)
    rank = _ranks(phases, how)
    start = Prefix(phases)
    worklist, done, explored = [start], {writes.key(start, -1)}, 0
    while worklist:
        prefix = worklist.pop()
        explored += 1
        how.check(explored)
        _execute_thread_events(prefix, phases.threads)
        if prefix.is_complete:
            return Answer(prefix.witness(), explored)
        for chain in _memory_writes(prefix, len(phases.chains), rank):
            key = writes.key(prefix, chain)
            if key not in done:
                done.add(key)
                extended = prefix.copy()
                extended.execute(chain)
                worklist.append(extended)
    return Answer(None, explored)


def _execute_thread_events(prefix: Prefix, threads: int) -> None:
    """Lines 4-5: make the prefix maximal in the thread events that write no memory."""
    waiting = True
    while waiting:
        waiting = False
        for thread in range(threads):
            while not prefix.next_writes_memory(thread) and prefix.can_execute(thread):
                prefix.execute(thread)
                waiting = True


def _memory_writes(prefix: Prefix, chains: int, rank: dict[tuple[int, int], int]) -> list[int]:
    """Line 7: chains whose next event is an executable memory-write; what should be tried first comes last."""
    found = [chain for chain in range(chains) if prefix.next_writes_memory(chain) and prefix.can_execute(chain)]
    if rank:
        found.sort(key=lambda chain: -rank.get((chain, prefix.counts[chain]), 0))
    return found


def _ranks(phases: Phases, how: SearchOptions) -> dict[tuple[int, int], int]:
    """The place of each event in the auxiliary trace, if there is one, by chain and position."""
    ranks = how.ranks()
    if not ranks:
        return {}
    return {
        (number, position): ranks.get(event.action, 0)
        for number, chain in enumerate(phases.chains)
        for position, event in enumerate(chain)
    }


class _WriteCounts:
    """Line 9: names W^M(sigma), the set of memory-writes, by its number in each chain."""

    def __init__(self, phases: Phases) -> None:
        self._counts: list[list[int]] = []
        for chain in phases.chains:
            counts = [0]
            for event in chain:
                counts.append(counts[-1] + (event.writes != NOWHERE))
            self._counts.append(counts)

    def key(self, prefix: Prefix, chain: int) -> tuple[int, ...]:
        """The set after `prefix`, extended with the next event of `chain` unless that is -1."""
        found = [counts[count] for counts, count in zip(self._counts, prefix.counts, strict=True)]
        if chain >= 0:
            found[chain] += 1
        return tuple(found)
