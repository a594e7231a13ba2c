"""What programs do that go round and round: every configuration, told apart by what threads can still do.

Nothing is cut here: a thread that looks at memory again and again is led round
for as long as it comes to somewhere new. Since two local states are the same
if their keys are (tests/local_state checks these), a thread in a loop that
changes nothing comes back to a configuration in which everybody was before.

Knows nothing of spinning, merging, waits and formulas. Programs have declared threads and a final function.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from replay.code.terminals import Ended, Failed
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.options import UnfoldingOptions
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from replay.world.shown import shown

MANY = 1_000_000


@dataclass
class Behaviours:
    """What a program can do; `is_stuck` if some can go on as it likes and will never end, fail or change memory.

    failures      with the fewest operations that lead to each, and of these the fewest switches of threads
    local_states  how many there are, however many operations were done before
    """

    complete: bool = True
    failures: dict[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    outcomes: set[str] = field(default_factory=set)
    is_stuck: bool = False
    local_states: int = 0


def behaviours(program: Program, model: MemoryModel, limit: int) -> Behaviours:
    """Visit all configurations; a part of them, with complete=False, if there are more than `limit`."""
    return _Search(program, model).visit(limit)


@dataclass
class _Configuration:
    """What matters of one that was visited: what it may become, and whether that is news to anybody."""

    memory: Hashable
    is_over: bool
    before: list[_Configuration] = field(default_factory=list)
    steps: list[tuple[Choice, _Configuration]] = field(default_factory=list)


class Known:
    """The local states that were met, one for all that are the same."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self.states: dict[Hashable, State] = {}

    def same(self, state: State) -> State:
        """The one that stands for a state."""
        key = self._unfolding.key(state) if state.entries else None
        return self.states.setdefault((state.thread, state.number if key is None else ("key", key)), state)


class _Search:
    def __init__(self, program: Program, model: MemoryModel) -> None:
        self._unfolding = Unfolding(program, UnfoldingOptions(100_000, cuts_spins=False))
        self._model = model
        self._known = Known(self._unfolding)
        self._found = Behaviours()
        self._failed: list[tuple[tuple[str, str, str], _Configuration]] = []

    def visit(self, limit: int) -> Behaviours:
        first = Machine(self._unfolding, self._model)
        first.states = [self._same(state) for state in first.states]
        begun = _Configuration(contents(first), self._is_over(first))
        visited = {self._key(first): begun}
        for state in first.states:
            self._note_end(state, begun)
        waiting = deque([first])
        changing: list[_Configuration] = []
        while waiting:
            machine = waiting.popleft()
            here = visited[self._key(machine)]
            for choice, stores, after in self._successors(machine):
                key = self._key(after)
                if key not in visited:
                    visited[key] = _Configuration(contents(after), self._is_over(after))
                    waiting.append(after)
                there = visited[key]
                there.before.append(here)
                here.steps.append((choice, there))
                self._note_end(after.states[choice.thread], there)
                if stores or there.memory != here.memory:
                    changing.append(here)
            if len(visited) > limit:
                self._found.complete = False
                return self._found
        ways = _ways(begun)
        for failure, there in self._failed:
            self._found.failures[failure] = min(ways[id(there)], self._found.failures[failure])
        self._found.local_states = len(self._known.states)
        over = [each for each in visited.values() if each.is_over]
        self._found.is_stuck = _closure(over + changing) < len(visited)
        return self._found

    def _successors(self, machine: Machine) -> Iterator[tuple[Choice, bool, Machine]]:
        """Each step, whether it is a store, which is one even if it stores what is there, and what comes of it."""
        for choice in machine.choices():
            operation = machine.states[choice.thread].operation
            after = machine.copy()
            after.apply(choice)
            after.states[choice.thread] = self._same(after.states[choice.thread])
            stores = choice.commit != NOTHING or (operation is not None and operation.kind is Kind.STORE)
            yield choice, stores, after

    def _same(self, state: State) -> State:
        """The state that stands for all that are the same."""
        return self._known.same(state)

    def _note_end(self, state: State, there: _Configuration) -> None:
        """Take note of what the state of a thread that has just moved shows."""
        end = state.terminal
        if isinstance(end, Failed):
            failure = end.error, end.message, str(end.source or "")
            self._found.failures[failure] = (MANY, MANY)
            self._failed.append((failure, there))
        if isinstance(end, Ended) and self._unfolding.threads[state.thread].is_final:
            self._found.outcomes.add(shown(end.value))

    def _is_over(self, machine: Machine) -> bool:
        """Whether all threads have ended, or one never goes on, and not because it waits."""
        others = (state for state in machine.states if not self._unfolding.threads[state.thread].is_final)
        return machine.all_ended() or any(
            state.terminal is not None and not isinstance(state.terminal, Ended) for state in others
        )

    @staticmethod
    def _key(machine: Machine) -> Hashable:
        return tuple(state.number for state in machine.states), contents(machine)


def _ways(begun: _Configuration) -> dict[int, tuple[int, int]]:
    """Of each configuration the fewest operations to there, and of these the fewest switches (Dijkstra's algorithm).

    That a store reaches memory is no operation, and no switch.
    """
    found: dict[int, tuple[int, int]] = {}
    known = {(id(begun), NOTHING): (0, 0)}
    order = count()
    waiting = [((0, 0), next(order), NOTHING, begun)]
    while waiting:
        way, _, running, here = heappop(waiting)
        if way > known[id(here), running]:
            continue
        found.setdefault(id(here), way)
        for choice, there in here.steps:
            after, latest = way, running
            if choice.commit == NOTHING:
                after = way[0] + 1, way[1] + (running not in (NOTHING, choice.thread))
                latest = choice.thread
            if after < known.get((id(there), latest), (MANY, MANY)):
                known[id(there), latest] = after
                heappush(waiting, (after, next(order), latest, there))
    return found


def _closure(targets: list[_Configuration]) -> int:
    """From how many configurations one of these can be reached."""
    waiting, seen = list(targets), {id(target) for target in targets}
    while waiting:
        for before in waiting.pop().before:
            if id(before) not in seen:
                seen.add(id(before))
                waiting.append(before)
    return len(seen)


def contents(machine: Machine) -> Hashable:
    """What memory and buffers hold."""
    initial = machine.unfolding.initial
    memory = tuple(sorted((loc, value) for loc, value in machine.memory.items() if value != initial[loc]))
    return memory, tuple(_buffer(machine, thread) for thread in range(len(machine.states)))


def _buffer(machine: Machine, thread: int) -> Hashable:
    """A buffer: fences matter between stores, and behind the last."""
    stores = machine.buffers[thread]
    epochs = sorted({store.epoch for store in stores} | ({machine.epochs[thread]} if stores else set()))
    found = [(epochs.index(store.epoch), store.queue, store.location, store.value) for store in stores]
    return tuple(sorted(found, key=lambda store: store[:2])), len(epochs)
