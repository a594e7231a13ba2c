"""Witnesses: schedules that are checked step by step, and made from an order of moments.

`why_not` is the semantics of docs/semantics.md 3 once more, on the actions of an
instance alone. It shares no code with the procedures whose witnesses it judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcr.consistency.instance import INITIAL, Action, Instance, Move, Witness, is_buffered
from mcr.executions.schedule import interleaved
from replay.world.memory_model import Access, Buffering, MemoryModel


def why_not(instance: Instance, model: MemoryModel, witness: Sequence[Move]) -> str:
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
        """Writes that may commit: the oldest, or the oldest to each location before the first store fence."""
        if self._model.buffering is Buffering.THREAD:
            return self._stores(buffer)[:1]
        oldest: dict[int, int] = {}
        for id in buffer:
            if self._instance.actions[id].access is Access.STORE_BARRIER:
                break
            oldest.setdefault(self._instance.actions[id].location, id)
        return list(oldest.values())

    def _visible(self, action: Action) -> int:
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


def schedule(instance: Instance, model: MemoryModel, order: Iterable[int]) -> Witness:
    """The witness that executes actions at their moments (docs/semantics.md 4), given in their order."""
    actions = [instance.actions[id] for id in order]
    moments = (
        (action.thread, action.index + 1, Move(action.id, commit=True) if is_buffered(action, model) else None)
        for action in actions
    )
    return tuple(interleaved([list(map(Move, line)) for line in instance.threads], moments))
