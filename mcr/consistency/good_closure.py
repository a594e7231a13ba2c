"""Closure of a good-writes instance under SC: [agarwal-2021] section 4.2, heuristic 2, rules 1-4.

Deviation: initial values are good-writes that precede every action; they are
visible to a read as long as no write of the location precedes it.
"""

from __future__ import annotations

from mcr.consistency.closure import program_order
from mcr.consistency.instance import INITIAL, Instance
from mcr.consistency.partial_order import PartialOrder, bit_set, members
from replay.world.memory_model import MemoryModel


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
