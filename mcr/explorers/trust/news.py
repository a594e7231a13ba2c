"""What is told of execution graphs that are visited elsewhere: those that may be worth to be executed.

Which ones are is decided where all parts are known. A graph is left out if
everything in it was in graphs that are a whole batch older, of the same piece
of work, or was executed before the work was shared: it cannot be news then,
nor help to choose among those that are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from mcr.executions.class_counter import ClassCounter
from mcr.exploration.stage import Stage
from mcr.explorers.trust.cover import shown
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import execution, memory, sketched
from mcr.explorers.trust.sketch import Sketched
from mcr.explorers.trust.survey import BATCH
from mcr.explorers.trust.travel import PackedGraph, pack_graph
from replay.code.terminals import Ended
from replay.errors import CheckerError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a piece of work has shown when so many graphs of it had been visited.

    visited  how many, the one that shows it included
    is_full  whether it came with a full graph
    graph    a full graph, or the causal past of a failure: by names, or as a sketch by numbers
    like     in place of a full graph, when another one was visited that shows the same; 0 for none
    failed   the thread that failed, "" if `graph` is a full one
    error    the model is broken
    """

    visited: int
    is_full: bool
    graph: PackedGraph | Sketched | None = None
    like: int = 0
    failed: str = ""
    error: CheckerError | None = None


_Steps = set[int] | set[tuple[int, int]]


class _Window:
    """What was seen, and when: `old` was seen a whole batch ago."""

    def __init__(self, old: _Steps) -> None:
        self.old: set[object] = set(old)
        self._previous: set[object] = set()
        self._current: set[object] = set()

    def news(self, seen: _Steps) -> frozenset[object]:
        """What of it is not old; it will be."""
        found = frozenset(seen - self.old)
        self._current |= found
        return found

    def turn(self) -> None:
        """A batch of graphs was visited."""
        self.old |= self._previous
        self._previous, self._current = self._current, set()


class _Sieve:
    """Tells of the graphs of one piece of work which may be news."""

    def __init__(self, executed: set[int], final_edges: set[tuple[int, int]]) -> None:
        self._steps = _Window(executed)
        self._endings = _Window(final_edges)
        self._recent: dict[object, int] = {}
        self._earlier: dict[object, int] = {}
        """By what they showed that was not old, when graphs were visited: in this batch, and in the one before."""

    def like(self, visited: int, passed: set[int], ending: set[tuple[int, int]]) -> int | None:
        """When a graph was visited that showed the same; 0 if none was, None if it is no news."""
        news = (self._steps.news(passed), self._endings.news(ending))
        if not any(news):
            return None
        other = self._recent.get(news) or self._earlier.get(news)
        if other is None:
            self._recent[news] = visited
        return other or 0

    def turn(self) -> None:
        """A batch of graphs was visited."""
        self._steps.turn()
        self._endings.turn()
        self._earlier, self._recent = self._recent, {}


class Teller(ABC):
    """Tells what graphs show, where they are visited. `begin` is called for each piece of work.

    repeated  where classes are counted, how many graphs of the piece were of a class that was seen before
    """

    repeated = 0

    def __init__(self, stage: Stage, trust: Trust, *, by_name: bool = True) -> None:
        """Graphs are told of `by_name`, else by number, to who is told of all steps as well."""
        self._stage = stage
        self._trust = trust
        self._by_name = by_name

    def _packed(self, graph: Graph) -> PackedGraph | Sketched:
        return pack_graph(self._stage, graph) if self._by_name else sketched(graph)

    @abstractmethod
    def begin(self) -> None:
        """Another piece of work begins."""

    def told(self, visited: int, full: Graph | None) -> Iterator[Found]:
        """What came of one more step: failures, and a full graph, the `visited`th, if it led to one."""
        failures, self._trust.failures = self._trust.failures, []
        for past, failed in failures:
            thread = self._stage.unfolding.thread_name(failed.thread)
            yield Found(visited, full is not None, self._packed(past), failed=thread)
        if full is not None:
            for graph in self._trust.executions(full):
                yield from self._told(visited, graph)
            if visited % BATCH == 0:
                self._turn()

    @abstractmethod
    def _told(self, visited: int, graph: Graph) -> Iterator[Found]:
        """What a full graph shows that is an execution."""

    @abstractmethod
    def _turn(self) -> None:
        """A batch of graphs was visited."""


class ClassTeller(Teller):
    """Tells of graphs of classes that were not seen."""

    def __init__(self, stage: Stage, trust: Trust, counter: ClassCounter) -> None:
        """`counter` knows the classes that were seen before the work was shared."""
        super().__init__(stage, trust)
        self._counter = counter
        self.begin()

    def begin(self) -> None:
        self._seen, self.repeated = set[bytes](), 0

    def _told(self, visited: int, graph: Graph) -> Iterator[Found]:
        key = self._counter.finest.key(execution(graph, self._stage.unfolding))
        if key in self._seen or self._counter.knows(key):
            self.repeated += 1
        else:
            self._seen.add(key)
            yield Found(visited, True, pack_graph(self._stage, graph))

    def _turn(self) -> None:
        """A class is old at once."""


class StateTeller(Teller):
    """Tells of graphs that show local states, or endings, which were not seen."""

    def __init__(self, stage: Stage, trust: Trust, executed: set[int], *, by_name: bool = True) -> None:
        """`executed` are the local states that executions had shown before the work was shared."""
        super().__init__(stage, trust, by_name=by_name)
        self._executed = executed
        unfolding = stage.unfolding
        self._final = unfolding.final if stage.goals.decides_final else None
        final = NOTHING if self._final is None else self._final.index
        self._final_edges = {(edge.before.number, edge.read) for edge in unfolding.edges if edge.before.thread == final}
        self._endings: dict[object, set[tuple[int, int]]] = {}
        """The steps of the final function, by what is in memory and what the threads returned."""
        self._met: set[tuple[int, int]] = set()
        """Steps of the final function that are not known, each met once."""
        self.begin()

    def begin(self) -> None:
        self._sieve = _Sieve(self._executed, self._final_edges)

    def _told(self, visited: int, graph: Graph) -> Iterator[Found]:
        like = self._sieve.like(visited, shown(graph), self._ending(graph))
        if like is not None:
            yield Found(visited, True, None if like else self._packed(graph), like)

    def _turn(self) -> None:
        self._sieve.turn()

    def _ending(self, graph: Graph) -> set[tuple[int, int]]:
        """What the final function does after an execution."""
        final = self._final
        if final is None:
            return set()
        unfolding, left = self._stage.unfolding, memory(graph)
        returned = [unfolding.returned(end) if isinstance(end.terminal, Ended) else NOTHING for end in graph.ends]
        key = (frozenset(left.items()), tuple(returned))
        found = self._endings.get(key)
        if found is None:
            machine = Machine.at_rest(unfolding, self._stage.model, graph.ends, left)
            found = self._endings[key] = self._final_steps(final.index, machine)
        return found

    def _final_steps(self, final: int, machine: Machine) -> set[tuple[int, int]]:
        """The steps as far as they are known, and one that nothing else has if the rest is to be seen by executing it.

        To run the code here as well is worth it where several endings come to one step that is not known.
        """
        found = set[tuple[int, int]]()
        alone = (NOTHING, len(self._endings))
        while True:
            state = machine.states[final]
            if state.inputs:
                return {*found, alone}
            if machine.can_run(final):
                step = (state.number, machine.visible(final))
                if step[1] not in state.edges and step not in self._met:
                    self._met.add(step)
                    return {*found, alone}
                found.add(step)
                machine.run(final, NOTHING)
            elif machine.buffers[final]:
                machine.commit(final, machine.committable(final)[0])
            else:
                return found
