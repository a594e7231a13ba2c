"""VerifyPSO: [bui-2021] section 4.2, Algorithm 2, with the atomic blocks of section 4.4.

It enumerates the lower sets of the thread events. A memory-write is executed
only when a read or a fence wants it, or when it is spurious: nobody will read
it any more. What two prefixes with the same thread events may differ in is
kept in their fence maps.

Deviations. (1) Fence maps say more than printed; the two reasons
are below. (2) An atomic block includes the fence before it: one event
that flushes, reads and writes. (3) Waiting for another thread's end is a
fence at that end. (4) A store fence makes a buffer hold writes to several
locations whose order matters, so the minimal strategy on memory-writes is
not complete any more, as in the paper's comparison of TSO and PSO; instances
with store fences go to VerifyTSO, complete for any order, in n^(k*d).

`FenceMaps` computes fence maps, with two additions that completeness needs. FMap(t, u) is the last read of thread u
that has to be executed before thread t can execute its next fence: it holds a location to which t has a pending
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
(tests/consistency/test_fence_map.py, which restores what is printed).
"""

from __future__ import annotations

from collections.abc import Iterable

from mcr.consistency.instance import INITIAL, Instance, SearchOptions
from mcr.consistency.phases import Need, Phases, Prefix
from mcr.consistency.search import WitnessSearch
from replay.world.memory_model import Access, Buffers, one_per_location

FenceMap = tuple[int, ...]


class FenceMaps:
    """Computes the fence maps of prefixes of one instance."""

    def __init__(self, phases: Phases) -> None:
        self._phases = phases
        self._last_fence = _last_fences(phases.instance)
        self._blocks = self._awaiting_blocks()
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
        """Adds the readers that hold a location to which the thread has a pending write."""
        size, counts = self._phases.threads, prefix.counts
        write = prefix.active[location]
        writer = self._phases.instance.actions[write].thread if write >= 0 else -1
        for reader, count in self._phases.readers.get(write, ()):
            if counts[reader] < count and self.counts(thread, writer, reader):
                cell = thread * size + reader
                found[cell] = max(found[cell], count)

    def counts(self, thread: int, writer: int, reader: int) -> bool:
        """Returns whether the thread may have to wait for a reader of what the writer wrote last (deviation 1)."""
        return thread != reader

    def _awaiting_blocks(self) -> dict[int, list[Need]]:
        """By buffer: the atomic blocks of other threads that cannot execute while it is not empty (condition 2b)."""
        phases, instance = self._phases, self._phases.instance
        found: dict[int, list[Need]] = {}
        for read in instance.good:
            source, own = instance.source(read), instance.own_write_before(read)
            if source == INITIAL or own is None:
                continue
            block, buffer = phases.effect[source], phases.effect[own][0]
            if block[0] < phases.threads <= buffer and block[0] != instance.actions[read].thread:
                found.setdefault(buffer, []).append(block)
        return found


def _last_fences(instance: Instance) -> list[int]:
    """By thread how many of its events end with its last fence or atomic block."""
    actions = instance.actions
    return [
        max((actions[id].index + 1 for id in line if actions[id].access is Access.BARRIER), default=0)
        for line in instance.threads
    ]


FORWARDED_BY_LOCATION = Buffers(one_per_location)
"""What the algorithm is for."""


class VerifyPSO(WitnessSearch):
    """Decides whether (X, RF) is realizable under PSO; each read has one source, and there are no store fences."""

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        super().__init__(phases, how)
        self._maps = self.new_maps()
        self.at_once = range(phases.threads, len(phases.chains))
        self._own_buffers = [
            [chain for chain in self.at_once if phases.owner[chain] == thread] for thread in range(phases.threads)
        ]

    def new_maps(self) -> FenceMaps:
        """The fence maps that tell prefixes apart."""
        return FenceMaps(self.phases)

    def candidates(self, prefix: Prefix) -> Iterable[int]:
        return range(self.phases.threads)

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        return tuple(prefix.counts[: self.phases.threads]), self._maps.of(prefix)

    def is_harmless(self, prefix: Prefix, chain: int) -> bool:
        """Lines 4-5: whether the next event is a spurious memory-write, which no read that is not executed wants."""
        if not prefix.can_execute(chain):
            return False
        write = self.phases.chains[chain][prefix.counts[chain]].action
        return all(prefix.counts[thread] >= count for thread, count in self.phases.readers.get(write, ()))

    def extended(self, prefix: Prefix, chain: int) -> Prefix | None:
        """Lines 8-15: the prefix with the thread's next event and the memory-writes it wants; None if it cannot be."""
        event = prefix.next(chain)
        if event is None:
            return None
        action = self.instance.actions[event.action]
        extended = prefix.copy()
        if action.access is Access.BARRIER and not self._flush(extended, chain):
            return None
        if action.reads and not self._provide(extended, action.id):
            return None
        if not extended.can_execute(chain):
            return None
        extended.execute(chain)
        return extended

    def _flush(self, prefix: Prefix, thread: int) -> bool:
        """Line 13: execute the thread's pending memory-writes; False if they are not executable."""
        pending = self._own_buffers[thread]
        issued = self.phases.issued
        waiting = True
        while waiting:
            waiting = False
            for chain in pending:
                if prefix.counts[chain] < issued[chain][prefix.counts[thread]] and prefix.can_execute(chain):
                    prefix.execute(chain)
                    waiting = True
        return all(prefix.counts[chain] == issued[chain][prefix.counts[thread]] for chain in pending)

    def _provide(self, prefix: Prefix, read: int) -> bool:
        """Line 11: execute the memory-write that the read wants, if it is remote and buffered; False if impossible."""
        source = self.instance.source(read)
        if source == INITIAL:
            return True
        chain, count = self.phases.effect[source]
        actions = self.instance.actions
        if chain < self.phases.threads or actions[source].thread == actions[read].thread:
            return True
        if prefix.counts[chain] == count - 1 and prefix.can_execute(chain):
            prefix.execute(chain)
        return prefix.counts[chain] >= count
