"""What the execution graphs of a program show, and which of them are worth to be executed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from mcr.executions.equivalence import ClassCounter
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import execution, memory
from replay.code.terminals import Ended
from replay.errors import InternalError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


def shown(graph: Graph, known: Set[int] = frozenset()) -> set[int]:
    """Numbers of the local states that the threads of a graph pass, without known ones."""
    found = {event.state.number for event in graph.events}
    found.update(end.number for end in graph.ends)
    return found - known


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
        self._batch: list[Graph] = []
        self._final = unfolding.final.index if unfolding.final and covers_final else None
        self.executed: set[int] = set()
        self._steps = len(unfolding.edges)
        self._latest: Graph | None = None
        self._known_to_final: set[tuple[frozenset[tuple[LocationId, ValueId]], tuple[ValueId, ...]]] = set()
        """What was in memory, and what the threads returned, where the final function came to nothing new."""

    @property
    def found(self) -> int:
        """How many steps from one local state to the next are known, which nobody knew before."""
        return len(self.unfolding.edges) - self._steps

    def visit(self, executions: Iterable[Graph]) -> bool:
        """Take note of a full graph, with its executions; whether it is time to take a batch."""
        self.visited += 1
        self._batch.extend(executions)
        return self.visited % BATCH == 0

    def keep(self, graph: Graph) -> None:
        """An execution that somebody else has visited, for the next batch."""
        self._batch.append(graph)

    @property
    def is_settled(self) -> bool:
        """Whether the last batch is whole, and dealt with."""
        return not (self.visited % BATCH or self._batch)

    def batch(self) -> list[Graph]:
        """The executions among the graphs visited since the last batch, those first that are to be executed."""
        batch, self._batch = self._batch, []
        return self._ordered(batch)

    def _ordered(self, batch: list[Graph]) -> list[Graph]:
        """First a few graphs that show together what all show, then the others."""
        few = cover([shown(graph, self.executed) for graph in batch])
        return [batch[index] for index in dict.fromkeys((*few, *range(len(batch))))]

    def is_news(self, graph: Graph) -> bool:
        """Whether to execute a graph of the batch shows something new; to be asked until it does not."""
        final = self.unfolding.final
        if graph is self._latest and not (final and final.chooses):
            return False  # it was executed since, and its final function can do but one thing
        self._latest = graph
        news = shown(graph, self.executed)
        self.executed |= news
        return bool(news) or self._final_is_news(graph)

    def _final_is_news(self, graph: Graph) -> bool:
        """Whether the final function would come to a state where it never was."""
        if self._final is None:
            return False
        left = memory(graph)
        returned = [self.unfolding.returned(end) if isinstance(end.terminal, Ended) else NOTHING for end in graph.ends]
        seen = (frozenset(left.items()), tuple(returned))
        if seen in self._known_to_final:
            return False
        if self._final_function_is_news(self._final, Machine.at_rest(self.unfolding, self.model, graph.ends, left)):
            return True
        self._known_to_final.add(seen)
        return False

    def _final_function_is_news(self, final: int, at_rest: Machine) -> bool:
        waiting = [at_rest]
        while waiting:
            machine = waiting.pop()
            state = machine.states[final]
            if not machine.can_run(final):
                if machine.buffers[final]:
                    machine.commit(final, machine.committable(final)[0])
                    waiting.append(machine)
                continue
            for read in state.inputs or (machine.visible(final),):
                if read not in state.edges:
                    return True
                following = machine.copy() if state.inputs else machine
                following.run(final, read)
                waiting.append(following)
        return False


class ClassSurvey(Survey):
    """Tells which graphs are of a class that was not seen."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel, counter: ClassCounter) -> None:
        super().__init__(unfolding, model, covers_final=False)
        self._counter = counter
        self._key = b""

    def _ordered(self, batch: list[Graph]) -> list[Graph]:
        return batch

    def is_news(self, graph: Graph) -> bool:
        key = self._counter.finest.key(execution(graph, self.unfolding))
        known = self._counter.knows(key)
        self.repeated += known and graph is not self._latest
        self._latest = graph
        if not known and key == self._key:
            raise InternalError("an execution graph and its execution belong to different classes")
        self._key = key
        return not known
