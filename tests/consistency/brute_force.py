"""The oracle: every run of the operational machine of docs/semantics.md 3 on the actions of an instance.

It shares nothing with `mcr.consistency` but the types of its input. Buffers
are tuples, a state is remembered whole, nothing is ordered cleverly.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from mcr.consistency.instance import INITIAL, Instance, InstanceAction
from replay.world.memory_model import Access, Loads, MemoryModel

State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Executed actions and buffer of each thread (store fences stand in it too), and the last write of each location."""


class Operational:
    """The machine of an instance; reads are not restricted here."""

    def __init__(self, instance: Instance, model: MemoryModel) -> None:
        self.instance = instance
        self.model = model
        self.locations = 1 + max((action.location for action in instance.actions), default=-1)

    def start(self) -> State:
        threads = len(self.instance.threads)
        return (0,) * threads, ((),) * threads, (INITIAL,) * self.locations

    def is_final(self, state: State) -> bool:
        executed, buffers, _ = state
        return not any(buffers) and all(
            count == len(line) for count, line in zip(executed, self.instance.threads, strict=True)
        )

    def steps(self, state: State) -> Iterator[tuple[tuple[int, int] | None, State]]:
        """Each possible step: what was read by whom, (read, source), and the state after it."""
        for thread in range(len(self.instance.threads)):
            yield from self._executions(state, thread)
            yield from self._commits(state, thread)

    def _executions(self, state: State, thread: int) -> Iterator[tuple[tuple[int, int] | None, State]]:
        executed, buffers, memory = state
        line, buffer = self.instance.threads[thread], buffers[thread]
        if executed[thread] == len(line):
            return
        action = self.instance.actions[line[executed[thread]]]
        if action.access is Access.BARRIER and buffer:
            return
        if action.access is Access.LOAD and self._waits(action, buffer):
            return
        if any(self._is_ahead(executed, self.instance.actions[other]) for other in action.after):
            return
        read = (action.id, self._visible(action, buffer, memory)) if action.reads else None
        buffered = action.access is Access.STORE and self.model.buffers is not None
        if buffered or (action.access is Access.STORE_BARRIER and buffer):
            buffer = (*buffer, action.id)
        elif action.writes:
            memory = _put(memory, action.location, action.id)
        yield read, (_put(executed, thread, executed[thread] + 1), _put(buffers, thread, buffer), memory)

    def _waits(self, load: InstanceAction, buffer: tuple[int, ...]) -> bool:
        stores = [other for id in buffer if (other := self.instance.actions[id]).access is Access.STORE]
        assert self.model.buffers is not None or not stores
        match self.model.buffers and self.model.buffers.loads:
            case Loads.AFTER_ALL:
                return bool(stores)
            case Loads.AFTER_OWN:
                return any(store.location == load.location for store in stores)
        return False

    def _is_ahead(self, executed: tuple[int, ...], action: InstanceAction) -> bool:
        return executed[action.thread] <= action.index

    def _visible(self, action: InstanceAction, buffer: tuple[int, ...], memory: tuple[int, ...]) -> int:
        own = [id for id in buffer if self.instance.actions[id].location == action.location]
        return own[-1] if own else memory[action.location]

    def _commits(self, state: State, thread: int) -> Iterator[tuple[None, State]]:
        executed, buffers, memory = state
        buffer = buffers[thread]
        queue_of = self.model.buffers.key if self.model.buffers else None
        for place, id in enumerate(buffer):
            action = self.instance.actions[id]
            if action.access is Access.STORE_BARRIER:
                break
            assert queue_of is not None
            before = [queue_of(self.instance.actions[other].where) for other in buffer[:place]]
            if queue_of(action.where) not in before:
                rest = self._without_fences(buffer[:place] + buffer[place + 1 :])
                yield None, (executed, _put(buffers, thread, rest), _put(memory, action.location, id))

    def _without_fences(self, buffer: tuple[int, ...]) -> tuple[int, ...]:
        """A store fence with no store before it is done."""
        while buffer and self.instance.actions[buffer[0]].access is Access.STORE_BARRIER:
            buffer = buffer[1:]
        return buffer


def _put(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])


def is_realizable(instance: Instance, model: MemoryModel) -> bool:
    """Whether some run of the machine executes everything and reads only from good writes."""
    machine = Operational(instance, model)
    stack, seen = [machine.start()], {machine.start()}
    while stack:
        state = stack.pop()
        if machine.is_final(state):
            return True
        for read, following in machine.steps(state):
            if read is not None and read[1] not in instance.good[read[0]]:
                continue
            if following not in seen:
                seen.add(following)
                stack.append(following)
    return False


def random_run(instance: Instance, model: MemoryModel, random: random.Random) -> dict[int, int]:
    """What each read reads from in a random run of the machine, restarted if it got stuck."""
    machine = Operational(instance, model)
    while True:
        state, sources = machine.start(), {}
        while steps := list(machine.steps(state)):
            read, state = random.choice(steps)
            if read is not None:
                sources[read[0]] = read[1]
        if machine.is_final(state):
            return sources
