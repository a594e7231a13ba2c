"""Every way that a program can go from a state, step by step, as far as there is room: what `mcr explore` shows.

The states are configurations of the store-buffer machine, those nearest to the beginning first. Local states are
merged, so a loop that only looks comes back to where it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from mcr.exploration.goals import FAILURES, Goals
from mcr.exploration.options import Options
from mcr.exploration.stage import Stage
from replay.code.terminals import Blocked, Ended, Failed
from replay.code.user_code import exploring
from replay.frontend.program import Program
from replay.machine.machine import Buffered, Choice, Machine
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.traces.liveness import find_deadlock
from replay.traces.player import Player, follow
from replay.traces.trace import Failure, Trace
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown
from replay.world.values import ValueId

MOST = 20_000
"""States that are looked at, unless more are asked for."""


class Move(NamedTuple):
    """What may happen next.

    edge    the step of the thread that runs; None if a store reaches memory, or a wait is tried again
    store   the store that reaches memory
    undone  how many of the thread's latest steps are taken back, where a wait that failed is tried again
    after   number of the place that it leads to
    """

    thread: int
    edge: Edge | None
    store: Buffered | None
    undone: int
    after: int


@dataclass
class Place:
    """A state of the whole program.

    moves    what may happen there; None if nobody has looked
    failure  what has gone wrong there, so that nothing more is of interest
    outcome  how the run ended that came here; "" if it goes on
    leads    numbers of the outcomes that can be reached from here
    """

    states: list[State]
    memory: dict[LocationId, ValueId]
    buffers: list[list[Buffered]]
    moves: list[Move] | None = None
    failure: Failure | None = None
    outcome: str = ""
    leads: frozenset[int] = frozenset()


@dataclass
class Walks:
    """The graph: place 0 is the beginning. `first` are the moves to the place where the reader begins."""

    program: Program
    model: MemoryModel
    unfolding: Unfolding
    places: list[Place] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    first: list[Choice] = field(default_factory=list)

    @property
    def open(self) -> int:
        """How many places nobody has looked at."""
        return sum(place.moves is None for place in self.places)


UNKNOWN = "not looked at"
"""The outcome where places were left out."""


def walks(program: Program, model: MemoryModel, *, most: int = MOST, after: Trace | None = None) -> Walks:
    """Look at so many states, those after a recorded schedule first. Raises CheckerError if that does not fit."""
    stage = Stage(program, model, Goals.parse(FAILURES), Options(), merges=True)
    with exploring(program.place):
        found = Walks(program, model, stage.unfolding)
        graph = _Graph(found, Machine(stage.unfolding, model))
        if after is not None:
            found.first = list(follow(Player(stage.unfolding, model), after))
            graph.go(found.first)
        graph.explore(most)
    _spread(found)
    return found


class _Graph:
    """The places by what they are, and the machines of those that are to be looked at."""

    def __init__(self, found: Walks, machine: Machine) -> None:
        self._found = found
        self._numbers: dict[Hashable, int] = {}
        self._waiting: deque[tuple[int, Machine]] = deque()
        self._first = machine
        self._number(machine)

    def go(self, choices: Iterable[Choice]) -> None:
        """Follow a schedule: where it leads is looked at first, then the places on the way."""
        machine = self._first
        for choice in choices:
            machine = machine.copy()
            machine.apply(choice)
            self._number(machine)
        self._waiting.reverse()

    def explore(self, most: int) -> None:
        looked = 0
        while self._waiting and looked < most:
            number, machine = self._waiting.popleft()
            self._look(self._found.places[number], machine)
            looked += 1

    def _number(self, machine: Machine) -> int:
        key = machine.key()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._found.places)
            place = Place(machine.states[:], machine.memory.copy(), [buffer[:] for buffer in machine.buffers])
            self._found.places.append(place)
            self._waiting.append((number, machine))
        return number

    def _look(self, place: Place, machine: Machine) -> None:
        place.moves = []
        failed = next((state for state in machine.states if isinstance(state.terminal, Failed)), None)
        if failed is not None and isinstance(failed.terminal, Failed):
            place.failure = Failure.of(machine.unfolding.thread_name(failed.thread), failed.terminal)
        else:
            place.moves += [self._move(machine, choice) for choice in machine.choices()]
            place.moves += [self._again(machine, thread) for thread in _who_may_try_again(machine)]
            if not place.moves:
                place.failure = find_deadlock(machine)
        if not place.moves:
            place.outcome = str(place.failure) if place.failure else _ending(machine)

    def _move(self, machine: Machine, choice: Choice) -> Move:
        after = machine.copy()
        if choice.commit != NOTHING:
            store = after.commit(choice.thread, choice.commit)
            return Move(choice.thread, None, store, 0, self._number(after))
        edge = after.run(choice.thread, choice.chosen)
        return Move(choice.thread, edge, None, 0, self._number(after))

    def _again(self, machine: Machine, thread: int) -> Move:
        after, undone = machine.copy(), len(machine.evaluation(thread))
        after.rewind(thread)
        return Move(thread, None, None, undone, self._number(after))


def _who_may_try_again(machine: Machine) -> Iterable[int]:
    """Threads whose wait failed, and would read something else now."""
    for thread, state in enumerate(machine.states):
        end = state.terminal
        if not isinstance(end, Blocked) or end.wait_from < 0:
            continue
        reads = [(step.before.loc, step.read) for step in machine.evaluation(thread)]
        if any(
            machine.memory.get(loc, machine.unfolding.initial[loc]) != read for loc, read in reads if loc != NOTHING
        ):
            yield thread


def _ending(machine: Machine) -> str:
    """What a run came to that did not fail: what the final function returned, else what the threads did."""
    ended = {
        info.name: state.terminal.value
        for info, state in zip(machine.unfolding.threads, machine.states, strict=True)
        if isinstance(state.terminal, Ended) and (info.is_final or info.is_declared)
    }
    blocked = any(isinstance(state.terminal, Blocked) for state in machine.states)
    final = next((ended[info.name] for info in machine.unfolding.threads if info.is_final and info.name in ended), None)
    if final is not None:
        return f"it ends with {shown(final)}"
    results = [value for value in ended.values() if value is not None]
    if blocked:
        return "an assumption fails, or a thread waits"
    return f"it ends; threads return {', '.join(map(shown, results))}" if results else "it ends"


def _spread(found: Walks) -> None:
    """Tell each place which outcomes it leads to."""
    before: list[list[int]] = [[] for _ in found.places]
    for number, place in enumerate(found.places):
        for move in place.moves or ():
            before[move.after].append(number)
        if place.moves is None:
            place.outcome = UNKNOWN
    found.outcomes = sorted({place.outcome for place in found.places if place.outcome})
    leads: list[set[int]] = [set() for _ in found.places]
    for outcome, name in enumerate(found.outcomes):
        waiting = [number for number, place in enumerate(found.places) if place.outcome == name]
        while waiting:
            number = waiting.pop()
            if outcome not in leads[number]:
                leads[number].add(outcome)
                waiting += before[number]
    known: dict[frozenset[int], frozenset[int]] = {}
    for place, numbers in zip(found.places, leads, strict=True):
        place.leads = known.setdefault(frozenset(numbers), frozenset(numbers))
