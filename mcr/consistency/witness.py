"""Witnesses: schedules that are checked step by step, and made from an order of moments.

`why_not` is the semantics of docs/semantics.md 3 once more, on the actions of an
instance alone. It shares no code with the procedures whose witnesses it judges.

`extension` is a first try: one linear extension of the closure, without
alternatives. The closure of [bui-2021] section 4.3 refutes nearly all instances that are not
realizable. To the others it leaves little to choose, and one order of moments,
made by taking what may come next, is nearly always a witness. Where it gets
stuck, nothing is known, and the search decides.

Why it is a witness if it does not get stuck: a remote source, and the own
write before it, come before the read (rule 1), an initial value is read before
others write (rule 3), and nothing is overwritten that has still to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcr.consistency.instance import INITIAL, Instance, InstanceAction, Witness, WitnessMove, is_buffered
from mcr.consistency.partial_order import PartialOrder
from mcr.executions.schedule import interleaved
from replay.world.memory_model import Access, Loads, MemoryModel


def why_not(instance: Instance, model: MemoryModel, witness: Sequence[WitnessMove]) -> str:
    """The reason why a schedule is not a witness, naming the move; "" if it is one."""
    machine = _Buffers(instance, model)
    for number, move in enumerate(witness):
        problem = machine.commit(move.action) if move.commit else machine.execute(move.action)
        if problem:
            return f"move {number}, {move}: {problem}"
    if machine.executed != [len(line) for line in instance.threads]:
        return "not all actions are executed"
    return "a write never commits" if any(machine.buffers) else ""


class _Buffers:
    """Store buffers and memory; `memory` holds the last write of each location."""

    def __init__(self, instance: Instance, model: MemoryModel) -> None:
        self._instance = instance
        self._model = model
        self.executed = [0] * len(instance.threads)
        self.buffers: list[list[int]] = [[] for _ in instance.threads]
        self.memory: dict[int, int] = {}

    def execute(self, id: int) -> str:
        action = self._instance.actions[id]
        buffer = self.buffers[action.thread]
        if self.executed[action.thread] != action.index:
            return "not the thread's next action"
        if action.access is Access.BARRIER and self._stores(buffer):
            return "the store buffer is not empty"
        if action.access is Access.LOAD and self._must_wait(action, buffer):
            return "a store that it waits for is in the buffer"
        if any(self.executed[self._thread(other)] <= self._index(other) for other in action.after):
            return "what it waits for is not over"
        if action.reads and self._visible(action) not in self._instance.good[id]:
            return f"it reads from {self._visible(action)}"
        self.executed[action.thread] += 1
        if is_buffered(action, self._model) or (action.access is Access.STORE_BARRIER and buffer):
            buffer.append(id)
        elif action.writes:
            self.memory[action.location] = id
        return ""

    def commit(self, id: int) -> str:
        action = self._instance.actions[id]
        buffer = self.buffers[action.thread]
        if id not in self._committable(buffer):
            return "not the oldest write of its buffer"
        buffer.remove(id)
        while buffer and self._instance.actions[buffer[0]].access is Access.STORE_BARRIER:
            buffer.pop(0)
        self.memory[action.location] = id
        return ""

    def _committable(self, buffer: list[int]) -> list[int]:
        """Writes that may commit: the oldest of each queue of the model before the first store fence."""
        assert self._model.buffers is not None
        oldest: dict[str, int] = {}
        for id in buffer:
            if self._instance.actions[id].access is Access.STORE_BARRIER:
                break
            oldest.setdefault(self._model.buffers.key(self._instance.actions[id].where), id)
        return list(oldest.values())

    def _must_wait(self, action: InstanceAction, buffer: list[int]) -> bool:
        """Returns whether the load may not pass some store of its thread, where the model does not forward."""
        if self._model.buffers is None or self._model.buffers.loads is Loads.FORWARDED:
            return False
        waits_for_all = self._model.buffers.loads is Loads.AFTER_ALL
        stores = (self._instance.actions[id] for id in self._stores(buffer))
        return any(waits_for_all or store.location == action.location for store in stores)

    def _visible(self, action: InstanceAction) -> int:
        for id in reversed(self._stores(self.buffers[action.thread])):
            if self._instance.actions[id].location == action.location:
                return id
        return self.memory.get(action.location, INITIAL)

    def _stores(self, buffer: list[int]) -> list[int]:
        return [id for id in buffer if self._instance.actions[id].access is Access.STORE]

    def _thread(self, id: int) -> int:
        return self._instance.actions[id].thread

    def _index(self, id: int) -> int:
        return self._instance.actions[id].index


def witness_of(instance: Instance, model: MemoryModel, order: Iterable[int]) -> Witness:
    """The witness that executes actions at their moments (docs/semantics.md 4), given in their order."""
    actions = [instance.actions[id] for id in order]
    moments = (
        (action.thread, action.index + 1, WitnessMove(action.id, commit=True) if is_buffered(action, model) else None)
        for action in actions
    )
    return tuple(interleaved([list(map(WitnessMove, line)) for line in instance.threads], moments))


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
        """Executes all actions that it can; returns whether none is left."""
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

    def _admits(self, action: InstanceAction) -> bool:
        """Returns whether no action has still to read what this one overwrites; what it reads is there, by the
        closure."""
        if not action.writes:
            return True
        overwritten = action.location, self._active.get(action.location, INITIAL)
        return not self._readers.get(overwritten, 0) & ~(1 << action.id)

    def _take(self, action: InstanceAction) -> None:
        self.taken.append(action.id)
        self._done |= 1 << action.id
        if action.reads:
            self._readers[action.location, self._source[action.id]] &= ~(1 << action.id)
        if action.writes:
            self._active[action.location] = action.id
