"""Fence maps: [bui-2021] section 4.2, with two additions that completeness needs.

FMap(t, u) is the last read of thread u that has to be executed before thread
t can execute its next fence: it holds a location to which t has a pending
memory-write.

Deviation 1, own writes. As printed, a held location counts only if its last
write belongs to neither t nor u. Without the reads of u from its *own* write,
two prefixes with different futures get one key, and VerifyPSO may keep the
wrong one:

    thread 0: x=1; z (1); fence; y=1        thread 1: x=2; fence; z=1; y (1); x (2)

After the writes to x and thread 1's fence, x=1 is in memory if it came first.
If it came second it is pending, and must not commit before thread 1 read x,
which waits for y=1, which waits for thread 0's fence: a dead end, with the
same thread events. So reads from u's own write count here. The bound is
unchanged: one number for each pair of threads.

Deviation 2, atomic blocks. Section 4.4 carries over the argument for reads
and memory-writes, but a block leaves no moment between its read and its write:

    thread 0: x=1; x (3)                    thread 1: x=2; fence; rmw x (2 -> 3)

x=1 must commit before the block, since thread 0 then reads the block's write
(condition 2b). If it is issued while x=2 is held for the block, it cannot, and
nothing in the fence map tells so: thread 0 has no fence. So the key also says
which buffers that such a block waits for have a pending write to a held
location: at most 2^(k*d) times as many keys, only with such blocks.

Without closure either gap loses the witness if the dead end is met first
(tests/consistency/test_fence_map.py). `How(paper_fences=True)` restores what is printed.
"""

from __future__ import annotations

from mcr.consistency.instance import INITIAL, Instance
from mcr.consistency.phases import Need, Phases
from mcr.consistency.prefix import Prefix
from replay.world.memory_model import Access

FenceMap = tuple[int, ...]


class FenceMaps:
    """Computes the fence maps of prefixes of one instance."""

    def __init__(self, phases: Phases, *, as_printed: bool) -> None:
        self._phases = phases
        self._as_printed = as_printed
        self._last_fence = _last_fences(phases.instance)
        self._blocks = {} if as_printed else _awaiting_blocks(phases)
        self._buffers = [
            (phases.owner[chain], phases.chains[chain][0].writes, chain)
            for chain in range(phases.threads, len(phases.chains))
        ]

    def of(self, prefix: Prefix) -> FenceMap:
        """FMap of the prefix, a row of counts for each thread; then the buffers that a block waits for in vain."""
        size, counts = self._phases.threads, prefix.counts
        found = [0] * (size * size)
        stuck = 0
        for thread, location, chain in self._buffers:
            if counts[chain] == self._phases.issued[chain][counts[thread]]:
                continue
            if counts[thread] < self._last_fence[thread]:
                self._add_row(prefix, thread, location, found)
            if any(counts[other] < count for other, count in self._blocks.get(chain, ())) and prefix.is_held(location):
                stuck |= 1 << chain
        return (*found, stuck)

    def _add_row(self, prefix: Prefix, thread: int, location: int, found: list[int]) -> None:
        """What holds a location to which the thread has a pending write."""
        size, counts = self._phases.threads, prefix.counts
        write = prefix.active[location]
        writer = self._phases.instance.actions[write].thread if write >= 0 else -1
        for reader, count in self._phases.readers.get(write, ()):
            if counts[reader] < count and self._counts(thread, writer, reader):
                cell = thread * size + reader
                found[cell] = max(found[cell], count)

    def _counts(self, thread: int, writer: int, reader: int) -> bool:
        if thread == reader:
            return False
        return not self._as_printed or writer not in (thread, reader)


def _last_fences(instance: Instance) -> list[int]:
    """By thread how many of its events end with its last fence or atomic block."""
    actions = instance.actions
    return [
        max((actions[id].index + 1 for id in line if actions[id].access is Access.BARRIER), default=0)
        for line in instance.threads
    ]


def _awaiting_blocks(phases: Phases) -> dict[int, list[Need]]:
    """By buffer: the atomic blocks of other threads that cannot execute while it is not empty (condition 2b)."""
    instance = phases.instance
    found: dict[int, list[Need]] = {}
    for read in instance.good:
        source, own = instance.source(read), instance.own_write_before(read)
        if source == INITIAL or own is None:
            continue
        block, buffer = phases.effect[source], phases.effect[own][0]
        if block[0] < phases.threads <= buffer and block[0] != instance.actions[read].thread:
            found.setdefault(buffer, []).append(block)
    return found
