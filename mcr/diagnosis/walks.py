"""Every way that a program can go from a state, step by step, as far as there is room: what `mcr explore` shows.

The states are configurations of the store-buffer machine, those nearest to the beginning first. Local states are
merged, so a loop that only looks comes back to where it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from mcr.api import check
from replay.code.terminals import Blocked, Ended, Failed
from replay.code.user_code import exploring
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.machine.machine import Buffered, Choice, Machine
from replay.machine.state import NOTHING, Edge
from replay.machine.unfolding import Unfolding, explored
from replay.traces.following import follow
from replay.traces.liveness import fails_again, find_deadlock
from replay.traces.player import Player
from replay.traces.trace import Failure, Trace
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown

MOST = 100_000
"""States that are explored, unless more are asked for."""

UNKNOWN = "not explored"
"""The outcome where places were left out."""

SECONDS = 20.0
"""Time to find a failure that is further away than the states that are explored."""


class Move(NamedTuple):
    """A step that may happen next.

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
class GlobalState:
    """A state of the whole program.

    moves    what may happen there; None if nobody has looked
    failure  what has gone wrong there, so that nothing more is of interest
    outcome  how the run ended that came here; "" if it goes on
    leads    numbers of the outcomes that can be reached from here
    """

    machine: Machine
    moves: list[Move] | None = None
    failure: Failure | None = None
    outcome: str = ""
    leads: frozenset[int] = frozenset()


def walks(program: Program, model: MemoryModel, *, most: int = MOST, after: Trace | None = None) -> Walks:
    """Explores so many states, those after a recorded schedule first; raises CheckerError if that does not fit.

    Where states are left out and no failure is among the others, those on the way to a failure that `check` finds are
    explored as well.
    """
    if after is not None and after.global_lock:
        raise CheckerError("the trace was recorded with --python gil, and nothing is known here of the global lock")

    def walked(way: Trace | None) -> Walks:
        known = {name for trace in (after, way) if trace is not None for name in trace.changing}
        return explored(
            program.apart(known), lambda unfolding: Walks(unfolding, model, most, after, way), follows_calls=False
        )

    with exploring(program.place):
        found = walked(None)
        if not found.open or any(place.failure for place in found.places):
            return found
        failures = check(program, model.name, timeout=SECONDS).failures
        return walked(failures[0]) if failures else found


class Walks:
    """The graph: place 0 is the beginning. `first` are the moves to the place where the reader begins.

    The states on the `way` of a trace are explored before all others.
    """

    def __init__(
        self, unfolding: Unfolding, model: MemoryModel, most: int, after: Trace | None, way: Trace | None
    ) -> None:
        self.program, self.unfolding, self.model = unfolding.program, unfolding, model
        self.places: list[GlobalState] = []
        self._numbers: dict[Hashable, int] = {}
        self._waiting: deque[GlobalState] = deque()
        self._machine = Machine(unfolding, model)
        self._number(self._machine)
        if way is not None:
            self._follow(way)
        on_way = [*self._waiting]
        self._waiting.clear()
        self.first: list[Choice] = [] if after is None else self._follow(after)
        self._waiting.reverse()  # where the schedule leads is explored first, then the places on the way
        self._waiting.extendleft(reversed(on_way))
        for _ in range(max(most, len(on_way))):
            if self._waiting:
                self._look(self._waiting.popleft())
        for place in self._waiting:
            place.outcome = UNKNOWN
        self.outcomes = sorted({place.outcome for place in self.places if place.outcome})
        self._spread()

    def _follow(self, trace: Trace) -> list[Choice]:
        """Numbers the states of a schedule; returns its steps."""
        machine, choices = self._machine, list(follow(Player(self.unfolding, self.model), trace))
        for choice in choices:
            machine = machine.copy()
            machine.apply(choice)
            self._number(machine)
        return choices

    @property
    def open(self) -> int:
        """The number of places that were not explored."""
        return len(self._waiting)

    def _number(self, machine: Machine) -> int:
        key = machine.key()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.places)
            self.places.append(GlobalState(machine))
            self._waiting.append(self.places[-1])
        return number

    def _look(self, place: GlobalState) -> None:
        machine, place.moves = place.machine, []
        failed = next((state for state in machine.states if isinstance(state.terminal, Failed)), None)
        if failed is not None and isinstance(failed.terminal, Failed):
            place.failure = Failure.of(self.unfolding.thread_name(failed.thread), failed.terminal)
        else:
            place.moves += [self._move(machine, choice) for choice in machine.choices()]
            place.moves += [
                self._again(machine, thread)
                for thread, state in enumerate(machine.states)
                if state.is_waiting and not fails_again(machine, thread)
            ]
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
        """A wait that failed, and would read something else now, begins again."""
        after, undone = machine.copy(), len(machine.evaluation(thread))
        after.rewind(thread)
        return Move(thread, None, None, undone, self._number(after))

    def _spread(self) -> None:
        """Tell each place which outcomes it leads to."""
        before: list[list[int]] = [[] for _ in self.places]
        for number, place in enumerate(self.places):
            for move in place.moves or ():
                before[move.after].append(number)
        leads: list[set[int]] = [set() for _ in self.places]
        for outcome, name in enumerate(self.outcomes):
            waiting = [number for number, place in enumerate(self.places) if place.outcome == name]
            while waiting:
                number = waiting.pop()
                if outcome not in leads[number]:
                    leads[number].add(outcome)
                    waiting += before[number]
        known: dict[frozenset[int], frozenset[int]] = {}
        for place, numbers in zip(self.places, leads, strict=True):
            place.leads = known.setdefault(frozenset(numbers), frozenset(numbers))


def _ending(machine: Machine) -> str:
    """Returns the end of a run that did not fail: what the final function returned, else what the threads did."""
    ended = {
        info.name: state.terminal.value
        for info, state in zip(machine.unfolding.threads, machine.states, strict=False)
        if isinstance(state.terminal, Ended) and (info.is_final or info.is_declared)
    }
    final = machine.unfolding.final
    if final is not None and final.name in ended and ended[final.name] is not None:
        return f"it ends with {shown(ended[final.name])}"
    results = [value for value in ended.values() if value is not None]
    if any(isinstance(state.terminal, Blocked) for state in machine.states):
        return "an assumption fails, or a thread waits"
    return f"it ends; threads return {', '.join(map(shown, results))}" if results else "it ends"
