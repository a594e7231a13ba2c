"""The results of a program's execution graphs, and those graphs that are worth an execution."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial

from mcr.executions.equivalence import ClassCounter
from mcr.explorers.trust.graph import ExecutionGraph
from mcr.explorers.trust.schedule import execution, memory, schedule_of
from replay.code.terminals import Ended
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


def shown(graph: ExecutionGraph) -> set[int]:
    """Numbers of the local states that the threads of a graph pass."""
    found = {event.state.number for event in graph.events}
    found.update(end.number for end in graph.ends)
    return found


@dataclass(slots=True, eq=False)
class Full:
    """A full graph, as far as it matters whether to execute it, and how.

    states    numbers of the local states that its threads pass
    ends      where they are at its end
    memory    tells what was written last, by location
    schedule  makes a schedule of it
    graph     the graph; None if another process has visited it
    """

    states: Set[int]
    ends: Sequence[State]
    memory: Callable[[], Mapping[LocationId, ValueId]]
    schedule: Callable[[], list[Choice]]
    graph: ExecutionGraph | None = None

    @classmethod
    def of(cls, graph: ExecutionGraph, model: MemoryModel) -> Full:
        return cls(shown(graph), graph.ends, partial(memory, graph), partial(schedule_of, graph, model), graph)

    @classmethod
    def replayed(cls, choices: list[Choice], machine: Machine) -> Full:
        """One of which another process has sent a schedule, and where that leads to."""
        states = {state.number for state in machine.states}
        for past in machine.pasts:
            while past is not None:
                states.add(past.step.before.number)
                past = past.before
        return cls(states, machine.states, lambda: machine.memory, lambda: choices)

    def left_behind(self, unfolding: Unfolding) -> Hashable:
        """All that the final function may find: what is in memory, and what the threads returned."""
        returned = [unfolding.returned(end) if isinstance(end.terminal, Ended) else NOTHING for end in self.ends]
        return frozenset(self.memory().items()), tuple(returned)

    def final_steps(self, unfolding: Unfolding, model: MemoryModel) -> Iterator[tuple[State, ValueId]]:
        """Yields the steps of the final function afterwards: its states, with what it reads or chooses before it
        goes on."""
        assert unfolding.final is not None
        final = unfolding.final.index
        waiting = [Machine.at_rest(unfolding, model, self.ends, self.memory())]
        while waiting:
            machine = waiting.pop()
            state = machine.states[final]
            if not machine.can_run(final):
                if machine.buffers[final]:
                    machine.commit(final, machine.committable(final)[0])
                    waiting.append(machine)
                continue
            for read in state.inputs or (machine.visible(final),):
                yield state, read
                following = machine.copy() if state.inputs else machine
                following.run(final, read)
                waiting.append(following)


def cover(sets: Sequence[Set[int]]) -> list[int]:
    """Indices of sets that have together what all have; few, though not always the fewest possible.

    What is rare comes first: some set has to have it, and the largest of these is taken. On reference programs this is
    at most one more than the fewest possible, and less than the largest set first gives (results/engine-tuning.md).
    It depends on which sets share what, and not on how elements are numbered.
    """
    having: dict[int, list[int]] = {}
    for index, one in enumerate(sets):
        for element in one:  # in whichever order: it is sorted below
            having.setdefault(element, []).append(index)
    covered: set[int] = set()
    chosen: list[int] = []
    for element in sorted(having, key=lambda element: (len(having[element]), having[element])):
        if element not in covered:
            best = max(having[element], key=lambda index: len(sets[index] - covered))
            chosen.append(best)
            covered |= sets[best]
    return _without_needless(sets, chosen)


def _without_needless(sets: Sequence[Set[int]], chosen: Iterable[int]) -> list[int]:
    """Leave out what the others have as well, the first first."""
    left = list(chosen)
    times: dict[int, int] = {}
    for index in left:
        for element in sets[index]:
            times[element] = times.get(element, 0) + 1
    for index in left[:]:
        if all(times[element] > 1 for element in sets[index]):
            left.remove(index)
            for element in sets[index]:
                times[element] -= 1
    return left


BATCH = 100
"""Graphs that are visited before some of them are executed."""


class Survey:
    """Tells which graphs are worth to be executed: those that show local states that no execution has shown.

    visited   how many graphs were visited
    repeated  where classes are counted, how many executions were of a class that was seen before
    executed  numbers of the local states that executions have shown
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, *, covers_final: bool) -> None:
        """`covers_final` says whether it is of interest where the final function can come to."""
        self.unfolding = unfolding
        self.model = model
        self.visited = 0
        self.repeated = 0
        self._batch: list[Full] = []
        self._covers_final = unfolding.final is not None and covers_final
        self.executed: set[int] = set()
        self._steps = len(unfolding.edges)
        self._latest: Full | None = None
        self._known_to_final: set[Hashable] = set()
        """What was in memory, and what the threads returned, where the final function came to nothing new."""

    @property
    def found(self) -> int:
        """How many steps from one local state to the next are known, which were unknown before."""
        return len(self.unfolding.edges) - self._steps

    def visit(self, executions: Iterable[ExecutionGraph]) -> bool:
        """Take note of a full graph, with its executions; whether it is time to take a batch."""
        self.visited += 1
        self._batch.extend(Full.of(graph, self.model) for graph in executions)
        return self.visited % BATCH == 0

    def keep(self, full: Full) -> None:
        """An execution that another process has visited, for the next batch."""
        self._batch.append(full)

    @property
    def is_settled(self) -> bool:
        """True if the last batch is whole, and dealt with."""
        return not (self.visited % BATCH or self._batch)

    def batch(self) -> list[Full]:
        """The executions among the graphs visited since the last batch, those first that are to be executed."""
        batch, self._batch = self._batch, []
        return self._ordered(batch)

    def _ordered(self, batch: list[Full]) -> list[Full]:
        """First a few graphs that show together what all show, then the others."""
        few = cover([full.states - self.executed for full in batch])
        return [batch[index] for index in dict.fromkeys((*few, *range(len(batch))))]

    def is_news(self, full: Full) -> bool:
        """Returns whether to execute a graph of the batch shows something new; call it again until it does not."""
        final = self.unfolding.final
        if full is self._latest and not (final and final.chooses):
            return False  # it was executed since, and its final function can do but one thing
        self._latest = full
        news = full.states - self.executed
        self.executed |= news
        return bool(news) or self._final_is_news(full)

    def _final_is_news(self, full: Full) -> bool:
        """Returns whether the final function would come to a state where it never was."""
        if not self._covers_final:
            return False
        seen = full.left_behind(self.unfolding)
        if seen in self._known_to_final:
            return False
        if any(read not in state.edges for state, read in full.final_steps(self.unfolding, self.model)):
            return True
        self._known_to_final.add(seen)
        return False


class ClassSurvey(Survey):
    """Tells which graphs are of a class that was not seen."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel, counter: ClassCounter) -> None:
        super().__init__(unfolding, model, covers_final=False)
        self._counter = counter
        self._key = b""

    def _ordered(self, batch: list[Full]) -> list[Full]:
        return batch

    def is_news(self, full: Full) -> bool:
        assert full.graph is not None, "classes are counted by one process"
        key = self._counter.finest.key(execution(full.graph, self.unfolding))
        known = self._counter.knows(key)
        self.repeated += known and full is not self._latest
        self._latest = full
        if not known and key == self._key:
            raise InternalError("an execution graph and its execution belong to different classes")
        self._key = key
        return not known
