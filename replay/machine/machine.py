"""The store-buffer machine: the operational semantics of docs/semantics.md 3.

One machine runs one program under one memory model, a choice at a time. A
choice is either "thread t executes its next operation" or "thread t's oldest
buffered store, or oldest to one location, commits to memory". Under SC a
store commits within its own step.

All models share one buffer structure: per thread, the list of its uncommitted
stores in program order, each with the name of the buffer that it waits in.
What differs is how the model names these buffers, and which loads wait.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from replay.code.terminals import Blocked, Ended
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, Loads, MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId


class Choice(NamedTuple):
    """One step of a schedule: a thread runs its next operation, or a store of it commits.

    commit  the location to commit; NOTHING to run an operation
    chosen  the value id that the operation takes, if it is a CHOOSE
    """

    thread: int
    commit: LocationId = NOTHING
    chosen: ValueId = NOTHING


make_choice = functools.lru_cache(1 << 12)(Choice)
"""A choice that may have been made before: to look it up takes a quarter of the time."""


class Buffered(NamedTuple):
    """A store on its way to memory, first in, first out among those of one queue.

    Stores of a later epoch wait for those of an earlier one, whatever their queues (store fences).
    """

    location: LocationId
    value: ValueId
    queue: str
    epoch: int
    depth: int


class Past(NamedTuple):
    """The past of a thread: its last step, and all before it."""

    step: Edge
    before: Past | None


class Machine:
    """A running program. `states[t]` is thread t's local state; `memory` holds what was ever written.

    `pasts[t]` says how thread t came to its state, None if it has not moved; `epochs[t]` counts its store fences.
    """

    __slots__ = (
        "_loads_wait",
        "_one_by_one",
        "_queues",
        "buffers",
        "epochs",
        "memory",
        "model",
        "pasts",
        "states",
        "unfolding",
    )

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self.unfolding = unfolding
        self.model = model
        self._queues = model.buffers
        self._loads_wait = model.buffers is not None and model.buffers.loads is not Loads.FORWARDED
        self._one_by_one = unfolding.program.global_lock
        self.states: list[State] = [info.root for info in unfolding.threads]
        self.memory: dict[LocationId, ValueId] = {}
        self.buffers: list[list[Buffered]] = [[] for _ in self.states]
        self.pasts: list[Past | None] = [None] * len(self.states)
        self.epochs = [0] * len(self.states)
        for thread in range(len(self.states)):
            self._note_end(thread)

    @classmethod
    def at_rest(
        cls, unfolding: Unfolding, model: MemoryModel, states: Sequence[State], memory: Mapping[LocationId, ValueId]
    ) -> Machine:
        """A machine with empty buffers: its threads' local states, those left out not begun, and what was written."""
        machine = cls(unfolding, model)
        machine.states[: len(states)] = states
        machine.memory.update(memory)
        for thread in range(len(states)):
            machine._note_end(thread)
        return machine

    def copy(self) -> Machine:
        twin: Machine = object.__new__(Machine)
        twin.unfolding = self.unfolding
        twin.model = self.model
        twin._queues = self._queues
        twin._loads_wait = self._loads_wait
        twin._one_by_one = self._one_by_one
        twin.states = self.states[:]
        twin.memory = self.memory.copy()
        twin.buffers = [buffer[:] for buffer in self.buffers]
        twin.pasts = self.pasts[:]
        twin.epochs = self.epochs[:]
        return twin

    # -- what is possible --------------------------------------------------

    def visible(self, thread: int) -> ValueId:
        """Returns what the thread's next operation would read now; NOTHING if it reads nothing from memory."""
        state = self.states[thread]
        if not state.reads:
            return NOTHING
        loc = state.loc
        for store in reversed(self.buffers[thread]):
            if store.location == loc:
                return store.value
        value = self.memory.get(loc)
        return self.unfolding.initial[loc] if value is None else value

    def can_run(self, thread: int) -> bool:
        """Returns whether the thread may execute its next operation now."""
        state = self.states[thread]
        operation = state.operation
        if operation is None or (state.drains and self.buffers[thread]):
            return False
        if self._one_by_one and not operation.at_once and self._is_amid_a_step():
            return False
        if self._loads_wait and operation.access is Access.LOAD and self._has_to_wait(thread, operation.where):
            return False
        if operation.ready is not None:
            return bool(operation.ready(self.unfolding.values[self.visible(thread)]))
        return operation.kind is not Kind.FINAL or self.all_ended()

    def _is_amid_a_step(self) -> bool:
        """Returns whether some thread has the global lock, and goes on before others do."""
        return any(state.operation is not None and state.operation.at_once for state in self.states)

    def _has_to_wait(self, thread: int, where: str) -> bool:
        """Returns whether ppo puts a store that is still buffered before a load of that location."""
        names = (self.unfolding.locations[store.location].name for store in self.buffers[thread])
        return any(self.model.keeps(Access.STORE, Access.LOAD, name, where) for name in names)

    def is_possible(self, choice: Choice) -> bool:
        """Returns whether a choice can be made now."""
        if choice.thread >= len(self.states):
            return False
        if choice.commit == NOTHING:
            return self.can_run(choice.thread)
        return choice.commit in self.committable(choice.thread)

    def why_not(self, thread: int) -> str:
        """The reason why `can_run` says no, for error messages."""
        state = self.states[thread]
        if state.operation is None:
            return "the thread came to its end"
        if state.drains and self.buffers[thread]:
            return f"'{state.operation.describe()}' waits for the thread's store buffer"
        return f"'{state.operation.describe()}' is blocked"

    def committable(self, thread: int) -> list[LocationId]:
        """Locations of which the thread's oldest buffered store may commit now."""
        buffer = self.buffers[thread]
        if len(buffer) < 2:
            return [store.location for store in buffer]
        oldest: dict[str, LocationId] = {}
        epoch = buffer[0].epoch
        for store in buffer:
            if store.epoch == epoch:
                oldest.setdefault(store.queue, store.location)
        return list(oldest.values())

    def choices(self) -> list[Choice]:
        """All choices that are possible now."""
        found: list[Choice] = []
        for thread, state in enumerate(self.states):
            if not self.can_run(thread):
                continue
            if state.inputs:
                found.extend(Choice(thread, chosen=value) for value in state.inputs)
            else:
                found.append(Choice(thread))
        for thread in range(len(self.states)):
            found.extend(Choice(thread, loc) for loc in self.committable(thread))
        return found

    def all_ended(self) -> bool:
        """Returns whether every thread that was started, the final function aside, has ended with its stores in
        memory."""
        for thread, state in enumerate(self.states):
            if self.unfolding.threads[thread].is_final or self.never_started(thread):
                continue
            if not isinstance(state.terminal, Ended) or self.buffers[thread]:
                return False
        return True

    def never_started(self, thread: int) -> bool:
        """A thread that exists in some other run, but was not spawned in this one."""
        state = self.states[thread]
        return (
            not state.entries
            and state.operation is not None
            and state.operation.kind is Kind.START
            and state.loc not in self.memory
        )

    # -- steps -------------------------------------------------------------

    def run(self, thread: int, chosen: ValueId = NOTHING) -> Edge:
        """Execute the thread's next operation; returns the step. The caller has checked `can_run`.

        `chosen` is the value that a CHOOSE operation takes.
        """
        state = self.states[thread]
        read = self.visible(thread) if state.reads else chosen
        step = state.edges.get(read) or self.unfolding.step(state, read)
        self.states[thread] = step.after
        self.pasts[thread] = Past(step, self.pasts[thread])
        operation = state.operation
        assert operation is not None
        if step.wrote != NOTHING:
            if operation.kind is Kind.STORE and self._queues is not None:
                queue = self._queues.key(operation.where)
                self.buffers[thread].append(Buffered(state.loc, step.wrote, queue, self.epochs[thread], state.depth))
            else:
                self.memory[state.loc] = step.wrote
        elif operation.kind is Kind.STORE_FENCE:
            self.epochs[thread] += 1
        if len(self.states) < len(self.unfolding.threads):
            self._welcome()
        if step.after.terminal is not None:
            self._note_end(thread)
        return step

    def commit(self, thread: int, loc: LocationId) -> Buffered:
        """Commit the thread's oldest buffered store to `loc`; returns it. The caller has checked `committable`."""
        buffer = self.buffers[thread]
        position = next(index for index, store in enumerate(buffer) if store.location == loc)
        store = buffer.pop(position)
        self.memory[loc] = store.value
        if not buffer:
            self._note_end(thread)
        return store

    def apply(self, choice: Choice) -> None:
        """Execute a choice that is possible."""
        if choice.commit == NOTHING:
            self.run(choice.thread, choice.chosen)
        else:
            self.commit(choice.thread, choice.commit)

    def histories(self) -> list[tuple[State, list[Edge]]]:
        """The local state of each thread, and its steps to there."""
        return [(state, list(self.latest_steps(thread))[::-1]) for thread, state in enumerate(self.states)]

    def latest_steps(self, thread: int) -> Iterator[Edge]:
        """Yields the steps of a thread, the latest first."""
        past = self.pasts[thread]
        while past is not None:
            yield past.step
            past = past.before

    def evaluation(self, thread: int) -> list[Edge]:
        """Returns the steps of a thread since the wait began in which it is blocked, the latest first."""
        end = self.states[thread].terminal
        assert isinstance(end, Blocked)
        return list(takewhile(lambda step: step.before.depth >= end.wait_from, self.latest_steps(thread)))

    def rewind(self, thread: int) -> None:
        """Take back the steps of an evaluation of a wait that failed: nobody saw them."""
        for step in self.evaluation(thread):
            past = self.pasts[thread]
            assert past is not None
            self.pasts[thread] = past.before
            self.states[thread] = step.before

    def _welcome(self) -> None:
        """Make room for threads that the unfolding met during this run."""
        for info in self.unfolding.threads[len(self.states) :]:
            self.states.append(info.root)
            self.buffers.append([])
            self.pasts.append(None)
            self.epochs.append(0)

    def _note_end(self, thread: int) -> None:
        """Let joins see a thread that ended and whose stores are in memory."""
        state = self.states[thread]
        if isinstance(state.terminal, Ended) and not self.buffers[thread]:
            self.memory[self.unfolding.threads[thread].end] = self.unfolding.returned(state)

    # -- identity ----------------------------------------------------------

    def key(self) -> tuple[object, ...]:
        """Equal for two machines of one unfolding iff they have the same future."""
        buffers = tuple(map(contents, self.buffers, self.epochs))
        memory = tuple(sorted(self.memory.items()))
        return (tuple(state.number for state in self.states), memory, buffers)


def contents(buffer: list[Buffered], epoch: int) -> tuple[object, ...]:
    """Returns what a thread's stores will do: their order matters within a queue, and between queues that a fence
    separates.

    `epoch` is that of the thread's next store; it is left out where no fence is between any two of all these.
    """
    if not buffer:
        return ()
    if buffer[0].epoch == epoch and len({store.queue for store in buffer}) == 1:
        return tuple((store.location, store.value) for store in buffer)
    numbers = {each: number for number, each in enumerate(dict.fromkeys([*(store.epoch for store in buffer), epoch]))}
    queues: dict[tuple[int, str], list[tuple[LocationId, ValueId]]] = {}
    for store in buffer:
        queues.setdefault((numbers[store.epoch], store.queue), []).append((store.location, store.value))
    return (len(numbers), *sorted((number, *stores) for (number, _), stores in queues.items()))
