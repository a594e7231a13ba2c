"""A first try: one linear extension of the closure, without alternatives.

The closure of [bui-2021] section 4.3 refutes nearly all instances that are not
realizable. To the others it leaves little to choose, and one order of moments,
made by taking what may come next, is nearly always a witness. Where it gets
stuck, nothing is known, and the search decides.

Why it is a witness if it does not get stuck: a remote source, and the own
write before it, come before the read (rule 1), an initial value is read before
others write (rule 3), and nothing is overwritten that has still to be read.
"""

from __future__ import annotations

from mcr.consistency.instance import INITIAL, Action, Instance, Witness
from mcr.consistency.partial_order import PartialOrder
from mcr.consistency.witness import witness_of
from replay.world.memory_model import Access, MemoryModel

_WITHOUT_MOMENT = (Access.LOCAL, Access.STORE_BARRIER)


def extension(instance: Instance, model: MemoryModel, order: PartialOrder) -> Witness | None:
    """A witness that respects the closure, if the first try finds one; each read has one source.

    Of the actions that may come next, the one with the least id does.
    """
    moments = _Moments(instance, order)
    if not moments.take_all():
        return None
    actions = instance.actions
    return witness_of(instance, model, [id for id in moments.taken if actions[id].access not in _WITHOUT_MOMENT])


class _Moments:
    """Moments so far, what they have left in memory, and who has still to read it.

    taken  the actions in the order of their moments
    """

    def __init__(self, instance: Instance, order: PartialOrder) -> None:
        self.taken: list[int] = []
        self._actions = instance.actions
        self._before = order.before
        self._source = {read: instance.source(read) for read in instance.good}
        self._done = 0
        self._active: dict[int, int] = {}
        self._readers: dict[tuple[int, int], int] = {}
        for read, source in self._source.items():
            written = instance.actions[read].location, source
            self._readers[written] = self._readers.get(written, 0) | 1 << read

    def take_all(self) -> bool:
        """Whether no action is left in the end."""
        waiting = list(range(len(self._actions)))
        while waiting:
            for id in waiting:
                if not self._before[id] & ~self._done and self._admits(self._actions[id]):
                    break
            else:
                return False
            waiting.remove(id)
            self._take(self._actions[id])
        return True

    def _admits(self, action: Action) -> bool:
        """Whether nobody has still to read what the action overwrites; what it reads is there, by the closure."""
        if not action.writes:
            return True
        overwritten = action.location, self._active.get(action.location, INITIAL)
        return not self._readers.get(overwritten, 0) & ~(1 << action.id)

    def _take(self, action: Action) -> None:
        self.taken.append(action.id)
        self._done |= 1 << action.id
        if action.reads:
            self._readers[action.location, self._source[action.id]] &= ~(1 << action.id)
        if action.writes:
            self._active[action.location] = action.id
