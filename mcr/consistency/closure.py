"""Closure for VerifyTSO and VerifyPSO: [bui-2021] section 4.3, rules 1-3, and section 4.4, rules 4-5.

The closure is the weakest partial order that refines preserved program order
and satisfies the rules; every witness respects it, so if it does not exist
there is no witness. For two threads the converse holds too.

Deviations. (1) The order is on actions with one moment each (docs/semantics.md 4),
not on both phases of a write: buffer-writes only have edges from and to their
own thread, which ppo carries over them. (2) An atomic block is one action
here, so rules 4 and 5 hold by construction. (3) Initial values are not
writes of a thread: reading one puts the read before every write that is not
its own, which is rule 3 with a write that precedes everything.

`good_closure` is that of a good-writes instance under SC: [agarwal-2021] section 4.2, heuristic 2, rules 1-4.

Deviation: initial values are good-writes that precede every action; they are
visible to a read as long as no write of the location precedes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from mcr.consistency.instance import INITIAL, Instance, is_possible_source
from mcr.consistency.partial_order import PartialOrder, bit_set, members
from mcr.executions.relations import Pair, Placed, preserved
from replay.world.memory_model import MemoryModel


def program_order(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """Preserved program order with what joins wait for; None if that has a cycle."""
    return PartialOrder.of(len(instance.actions), _program_order(instance, model))


def _program_order(instance: Instance, model: MemoryModel) -> Iterator[Pair]:
    for line in instance.threads:
        actions = [instance.actions[id] for id in line]
        for earlier, later in preserved([Placed(action.access, action.where) for action in actions], model).pairs:
            yield line[earlier], line[later]
    for action in instance.actions:
        for earlier in action.after:
            yield earlier, action.id


def closure(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """P(X) of an instance with one source for each read; None if there is none: the instance is not realizable."""
    if not all(is_possible_source(instance, read, instance.source(read)) for read in instance.good):
        return None
    pairs = chain(_program_order(instance, model), _sources(instance))
    order = PartialOrder.of(len(instance.actions), pairs)
    return order if order is not None and saturate(instance, order) else None


def saturate(instance: Instance, order: PartialOrder) -> bool:
    """Apply rules 2 and 3 until nothing changes; False if they close a cycle."""
    rivals = list(_rivals(instance))
    changed = True
    while changed:
        known = len(order.added)
        if not all(_separate(order, *each) for each in rivals):
            return False
        changed = len(order.added) > known
    return True


def _sources(instance: Instance) -> Iterator[Pair]:
    """Rule 1, for remote sources, and rule 3 for initial values."""
    for read in instance.good:
        source = instance.source(read)
        if source == INITIAL:
            for write in members(instance.foreign_writes(read)):
                yield read, write
        elif instance.actions[source].thread != instance.actions[read].thread:
            yield source, read
            own = instance.own_write_before(read)
            if own is not None:
                yield own, source


def _rivals(instance: Instance) -> Iterator[tuple[int, int, int]]:
    """Reads with their sources, and the bit set of the other threads' writes to the location, the source excluded."""
    for read in instance.good:
        source = instance.source(read)
        if source != INITIAL:
            rivals = instance.foreign_writes(read) & ~(1 << source)
            if rivals:
                yield read, source, rivals


def _separate(order: PartialOrder, read: int, source: int, rivals: int) -> bool:
    """Rule 2: a rival before the read is before its source. Rule 3: one after the source is after the read."""
    for rival in members(rivals & order.before[read] & ~order.before[source]):
        if not order.add(rival, source):
            return False
    return all(order.add(read, rival) for rival in members(rivals & order.after[source] & ~order.after[read]))


def good_closure(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """The closure P(X); None if there is none: the instance is not realizable."""
    order = program_order(instance, model)
    if order is None:
        return None
    writes = {location: bit_set(ids) for location, ids in instance.writers.items()}
    changed = True
    while changed:
        known = len(order.added)
        for read in instance.good:
            if not _Rules(instance, order, read, writes.get(instance.actions[read].location, 0)).apply():
                return None
        changed = len(order.added) > known
    return order


class _Rules:
    """The rules at one read, whose location has the writes `writes` (a bit set, as are all sets here)."""

    def __init__(self, instance: Instance, order: PartialOrder, read: int, writes: int) -> None:
        self._order = order
        self._read = read
        self._writes = writes & ~(1 << read)
        good = instance.good[read]
        self._good = bit_set([write for write in good if write != INITIAL])
        self._has_initial = INITIAL in good

    def apply(self) -> bool:
        """Apply rules 1-4 once; False if they cannot be satisfied."""
        candidates = self._visible()
        initial = self._has_initial and not self._order.before[self._read] & self._writes
        if not candidates and not initial:
            return False
        if not initial:
            least = self._least(candidates)
            if least is not None and not self._order.add(least, self._read):
                return False
        return self._place_before(candidates) and self._place_after(candidates)

    def _visible(self) -> int:
        """Cl(r): good-writes that are not after the read, and not hidden by a write between."""
        order, found = self._order, 0
        for write in members(self._good & ~order.after[self._read] & ~(1 << self._read)):
            if not order.after[write] & order.before[self._read] & self._writes:
                found |= 1 << write
        return found

    def _least(self, candidates: int) -> int | None:
        return next((w for w in members(candidates) if not candidates & ~self._order.after[w] & ~(1 << w)), None)

    def _greatest(self, candidates: int) -> int | None:
        return next((w for w in members(candidates) if not candidates & ~self._order.before[w] & ~(1 << w)), None)

    def _place_before(self, candidates: int) -> bool:
        """Rule 3: a bad write before the read is before the greatest candidate.

        Where only the initial write is visible, no write is before the read.
        """
        bad = self._writes & ~self._good & self._order.before[self._read]
        greatest = self._greatest(candidates)
        return greatest is None or all(self._order.add(write, greatest) for write in members(bad))

    def _place_after(self, candidates: int) -> bool:
        """Rule 4: a bad write after all candidates is after the read. It is after the initial write in any case."""
        after = self._writes & ~self._good & ~self._order.after[self._read]
        for write in members(candidates):
            after &= self._order.after[write]
        return all(self._order.add(self._read, write) for write in members(after))
