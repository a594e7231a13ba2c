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
"""

from __future__ import annotations

from mcr.consistency.instance import INITIAL, Instance, conflicting, is_possible_source
from mcr.consistency.partial_order import PartialOrder, bit_set, members
from mcr.executions.program_order import Placed, preserved
from replay.world.memory_model import MemoryModel


def program_order(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """Preserved program order with what joins wait for; None if that has a cycle."""
    order = PartialOrder(len(instance.actions))
    for line in instance.threads:
        actions = [instance.actions[id] for id in line]
        for earlier, later in preserved([Placed(action.access, action.where) for action in actions], model).pairs:
            order.add(line[earlier], line[later])
    waits = [(earlier, action.id) for action in instance.actions for earlier in action.after]
    return order if all(order.add(earlier, later) for earlier, later in waits) else None


def closure(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """P(X) of an instance with one source for each read; None if there is none: the instance is not realizable."""
    order = program_order(instance, model)
    if order is None or not _add_sources(instance, order):
        return None
    return order if saturate(instance, order) else None


def saturate(instance: Instance, order: PartialOrder) -> bool:
    """Apply rules 2 and 3 until nothing changes; False if they close a cycle."""
    rivals = {read: _rivals(instance, read) for read in instance.good}
    changed = True
    while changed:
        known = len(order.added)
        for read, others in rivals.items():
            source = instance.source(read)
            if source != INITIAL and not _separate(order, read, source, others):
                return False
        changed = len(order.added) > known
    return True


def _add_sources(instance: Instance, order: PartialOrder) -> bool:
    """Rule 1, for remote sources, and rule 3 for initial values."""
    for read in instance.good:
        source = instance.source(read)
        if not is_possible_source(instance, read, source):
            return False
        pairs = []
        if source == INITIAL:
            pairs = [(read, write) for write in conflicting(instance, read)]
        elif instance.actions[source].thread != instance.actions[read].thread:
            own = instance.own_write_before(read)
            pairs = [(source, read)] if own is None else [(source, read), (own, source)]
        if not all(order.add(earlier, later) for earlier, later in pairs):
            return False
    return True


def _rivals(instance: Instance, read: int) -> int:
    """Bit set of the other threads' writes to the read's location, its source excluded."""
    source = instance.source(read)
    return bit_set([write for write in conflicting(instance, read) if write != source])


def _separate(order: PartialOrder, read: int, source: int, rivals: int) -> bool:
    """Rule 2: a rival before the read is before its source. Rule 3: one after the source is after the read."""
    for rival in members(rivals & order.before[read] & ~order.before[source]):
        if not order.add(rival, source):
            return False
    return all(order.add(read, rival) for rival in members(rivals & order.after[source] & ~order.after[read]))
