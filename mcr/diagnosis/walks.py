"""Every way that a program can go from a state, step by step, as far as there is room: what `mcr explore` shows.

The states are configurations of the store-buffer machine, those nearest to the beginning first. Local states are
merged, so a loop that only looks comes back to where it was.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count

from mcr.api import check
from mcr.diagnosis.configurations import Configuration, ConfigurationMove, LocalConfiguration, Tables, Wider
from replay.code.terminals import Blocked, Ended
from replay.code.user_code import exploring
from replay.errors import CheckerError, TakenForConstant
from replay.frontend.program import Program
from replay.machine.machine import Machine, Past
from replay.machine.state import Edge
from replay.machine.unfolding import Unfolding, explored
from replay.traces.following import follow
from replay.traces.liveness import fails_again, find_deadlock
from replay.traces.player import Player
from replay.traces.trace import Failure, Trace
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown

MOST = 400_000
"""States that are explored, unless more are asked for."""

UNKNOWN = "not explored"
"""The outcome where places were left out."""

SECONDS = 20.0
"""Time to find a failure that is further away than the states that are explored."""

_UNEXPLORED = -1


@dataclass(frozen=True)
class GlobalState:
    """A state of the whole program.

    moves    what may happen there, with the numbers of the places that it leads to; None if it was not explored
    failure  what has gone wrong there, so that nothing more is of interest
    outcome  how the run ended that came here; "" if it goes on
    leads    numbers of the outcomes that can be reached from here
    """

    moves: list[tuple[ConfigurationMove, int]] | None
    failure: Failure | None
    outcome: str
    leads: frozenset[int]


def walks(program: Program, model: MemoryModel, *, most: int = MOST, after: Trace | None = None) -> Walks:
    """Explores so many states, those after a recorded schedule first; raises CheckerError if that does not fit.

    Where states are left out and no failure is among the others, those on the way to a failure that `check` finds are
    explored as well.
    """
    if after is not None and after.global_lock:
        raise CheckerError("the trace was recorded with --python gil, and nothing is known here of the global lock")

    recorded = set() if after is None else {*after.changing}

    def walked(way: Trace | None = None) -> Walks:
        def explore(unfolding: Unfolding) -> Walks:
            found = Walks(unfolding, model, most, after)
            if way is not None:
                found.extend(way)
            return found

        known = recorded if way is None else recorded | {*way.changing}
        return explored(program.apart(known), explore, follows_calls=False)

    with exploring(program.place):
        found = walked()
        if not found.open or found.failures:
            return found
        failures = check(program, model.name, timeout=SECONDS).failures
        if not failures:
            return found
        if {*failures[0].changing} <= found.program.changing:
            with contextlib.suppress(TakenForConstant):
                found.extend(failures[0])
                return found
        return walked(failures[0])


class Walks:
    """The graph: place 0 is the beginning. `first` are the moves to the place where the reader begins.

    `open` is the number of places that were not explored.
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, most: int, after: Trace | None) -> None:
        self.program, self.unfolding, self.model = unfolding.program, unfolding, model
        self.tables = Tables(unfolding, model)
        self.failures: dict[int, Failure] = {}
        self.outcomes: list[str] = []
        self._ends: dict[int, str] = {}
        self._failed: dict[int, Failure] = {}
        """What has failed at a place, explored or not."""
        self._numbers: dict[Configuration, int] = {}
        self._places: list[Configuration] = []
        self._parents, self._moves = array("i"), array("i")
        """From which place, by which move, each place was met first."""
        self._rows, self._row_of = array("i"), array("q")
        """Moves and the places that they lead to; where the row of a place begins, which says first how many."""
        self._number(self.tables.first(), 0, None)
        path = [] if after is None else self._follow(after)
        self.first = [move for _, move in path if move is not None]
        # Where the schedule leads is explored first, then the places on the way to it.
        self._explore([place for place, _ in reversed(path)], most)
        self._find_outcomes()

    def extend(self, way: Trace) -> None:
        """Also explore the states on the way of a trace. Raises TakenForConstant if it changes more than is known."""
        for place, _ in self._follow(way):
            if self._row_of[place] == _UNEXPLORED:
                self._look(place)
        self._find_outcomes()

    def __len__(self) -> int:
        return len(self._places)

    # -- exploring -----------------------------------------------------------------

    def _explore(self, first: list[int], most: int) -> None:
        """Explore so many places: the given ones first, then all others in the order in which they were met."""
        for place in chain(first, count()):
            if most == 0 or place == len(self._places):
                break
            if self._row_of[place] == _UNEXPLORED:
                self._look(place)
                most -= 1

    def _look(self, place: int) -> None:
        moves: list[ConfigurationMove] = []
        if place in self._failed:
            self.failures[place] = self._failed[place]
        else:
            moves = self._steps(place)
            moves += self._tried_again(place)
            if not moves and (deadlock := self._deadlock(place)) is not None:
                self.failures[place] = deadlock
        if not moves:
            self._ends[place] = str(self.failures[place]) if place in self.failures else self._ending(place)
        row = [len(moves)]
        for move in moves:
            row += (move.number, self._number(self.tables.after(self._places[place], move), place, move))
        self._row_of[place] = len(self._rows)
        self._rows.extend(row)

    def _steps(self, place: int) -> list[ConfigurationMove]:
        while True:
            try:
                return self.tables.follow(self._places[place])
            except Wider:
                widened = self.tables.widen()
                self._places = [widened(configuration) for configuration in self._places]
                self._numbers = {configuration: number for number, configuration in enumerate(self._places)}

    def _number(self, configuration: Configuration, parent: int, move: ConfigurationMove | None) -> int:
        number = self._numbers.get(configuration)
        if number is None:
            number = self._numbers[configuration] = len(self._places)
            self._places.append(configuration)
            self._parents.append(parent)
            self._moves.append(-1 if move is None else move.number)
            self._row_of.append(_UNEXPLORED)
            changed = range(self.tables.threads) if move is None else [move.thread]
            for local in (self.tables.local(configuration, thread) for thread in changed):
                if local.failure is not None:
                    self._failed[number] = Failure.of(self.unfolding.thread_name(local.thread), local.failure)
        return number

    def _tried_again(self, place: int) -> list[ConfigurationMove]:
        """Waits that failed, and would read something else now, begin again."""
        waiting = self._waiting(place)
        if not waiting:
            return []
        machine, found = self._machine(place), []
        for local in waiting:
            if not fails_again(machine, local.thread):
                evaluation = machine.evaluation(local.thread)
                found.append(self.tables.again(local, evaluation[-1].before, len(evaluation)))
        return found

    def _waiting(self, place: int) -> list[LocalConfiguration]:
        configuration = self._places[place]
        found = (self.tables.local(configuration, thread) for thread in range(self.tables.threads))
        return [local for local in found if local.waits]

    def _deadlock(self, place: int) -> Failure | None:
        configuration = self._places[place]
        found = (self.tables.local(configuration, thread) for thread in range(self.tables.threads))
        if all(isinstance(local.state.terminal, Ended) and not local.buffer for local in found):
            return None
        return find_deadlock(self._machine(place))

    def _machine(self, place: int) -> Machine:
        """The machine at a place; threads that wait know how they evaluated their conditions."""
        pasts = {local.thread: self._past(place, local) for local in self._waiting(place)}
        return self.tables.machine(self._places[place], pasts)

    def _past(self, place: int, local: LocalConfiguration) -> Past | None:
        """The steps of a thread that waits, since its wait began."""
        end = local.state.terminal
        assert isinstance(end, Blocked)
        steps: list[Edge] = []
        undone = 0
        while place:
            move = self.tables.moves[self._moves[place]]
            if move.thread == local.thread and move.undone:
                undone += move.undone
            elif move.thread == local.thread and move.edge is not None:
                if undone:
                    undone -= 1
                elif move.edge.before.depth < end.wait_from:
                    break
                else:
                    steps.append(move.edge)
            place = self._parents[place]
        past: Past | None = None
        for step in reversed(steps):
            past = Past(step, past)
        return past

    def _follow(self, trace: Trace) -> list[tuple[int, ConfigurationMove | None]]:
        """Numbers the states of a schedule; returns them with the moves that lead there."""
        place = 0
        path: list[tuple[int, ConfigurationMove | None]] = [(0, None)]
        for choice in list(follow(Player(self.unfolding, self.model), trace)):
            move = next(move for move in self._steps(place) if move.takes(choice))
            place = self._number(self.tables.after(self._places[place], move), place, move)
            path.append((place, move))
        return path

    # -- what was found ------------------------------------------------------------

    @property
    def places(self) -> Iterator[GlobalState]:
        return map(self.place, range(len(self)))

    def place(self, number: int) -> GlobalState:
        outcome = UNKNOWN if self._row_of[number] == _UNEXPLORED else self._ends.get(number, "")
        return GlobalState(self.moves(number), self.failures.get(number), outcome, self.leads(number))

    def configuration(self, place: int) -> Configuration:
        return self._places[place]

    def moves(self, place: int) -> list[tuple[ConfigurationMove, int]] | None:
        """The moves at a place, each with the number of the place that follows; None if it was not explored."""
        row = self.row(place)
        return None if row is None else [(self.tables.moves[row[n]], row[n + 1]) for n in range(0, len(row), 2)]

    def row(self, place: int) -> array[int] | None:
        """By turns the number of a move and of the place that it leads to; None if the place was not explored."""
        begin = self._row_of[place]
        return None if begin == _UNEXPLORED else self._rows[begin + 1 : begin + 1 + 2 * self._rows[begin]]

    def leads(self, place: int) -> frozenset[int]:
        """The numbers of the outcomes that can be reached from a place."""
        return self._sets[self._leads[place]]

    def _find_outcomes(self) -> None:
        """Find out which outcomes each place leads to: what its moves lead to, until nothing is added any more."""
        self.open = self._row_of.count(_UNEXPLORED)
        self.outcomes = sorted({*self._ends.values(), *([UNKNOWN] if self.open else [])})
        bit = {outcome: 1 << number for number, outcome in enumerate(self.outcomes)}
        leads = [bit[UNKNOWN] if begin == _UNEXPLORED else 0 for begin in self._row_of]
        for place, outcome in self._ends.items():
            leads[place] = bit[outcome]
        changed = True
        while changed:
            changed = False
            for place in reversed(range(len(self))):
                found = leads[place]
                for after in (self.row(place) or ())[1::2]:
                    found |= leads[after]
                if found != leads[place]:
                    leads[place], changed = found, True
        self._leads = leads
        numbers = range(len(self.outcomes))
        self._sets = {each: frozenset(n for n in numbers if each >> n & 1) for each in set(leads)}

    def _ending(self, place: int) -> str:
        """Returns the end of a run that did not fail: what the final function returned, else what the threads did."""
        configuration, threads = self._places[place], self.unfolding.threads
        states = [self.tables.local(configuration, thread).state for thread in range(self.tables.threads)]
        ended = {
            info.name: state.terminal.value
            for info, state in zip(threads, states, strict=False)
            if isinstance(state.terminal, Ended) and (info.is_final or info.is_declared)
        }
        final = self.unfolding.final
        if final is not None and final.name in ended and ended[final.name] is not None:
            return f"it ends with {shown(ended[final.name])}"
        results = [value for value in ended.values() if value is not None]
        if any(isinstance(state.terminal, Blocked) for state in states):
            return "an assumption fails, or a thread waits"
        return f"it ends; threads return {', '.join(map(shown, results))}" if results else "it ends"
