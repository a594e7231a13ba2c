"""Which of the execution graphs that a process visits may show something new to the process that it works for.

What is executed is decided where all parts are known. A graph is left out here if everything in it was in graphs that
are a whole batch older, or was executed before the work was shared: it cannot be new then, nor help to choose among
those that are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.packing import Packed, pack
from mcr.explorers.trust.schedule import memory
from mcr.explorers.trust.survey import BATCH, shown
from replay.code.terminals import Ended
from replay.errors import CheckerError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING
from replay.traces.trace import Failure

Position = tuple[int, ...]
"""Where a subtree is in the order in which one process would visit all of them."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a subtree has shown when so many full graphs of it had been visited.

    visited  how many, the one that shows it included
    is_full  whether it came with a full graph
    graph    a full graph, or one that shows a failure
    like     in place of a full graph, when another one was visited that shows the same; 0 for none
    failed   the failure that `graph` shows, None if it is there for what else it shows
    error    the model is broken
    """

    visited: int
    is_full: bool
    graph: Packed | None = None
    like: int = 0
    failed: Failure | None = None
    error: CheckerError | None = None


class NoveltyFilter:
    """Lets graphs pass that show local states, or steps of the final function, which are not old.

    It looks at the graphs of one subtree after the other.
    """

    def __init__(self, stage: Stage, trust: Trust, executed: set[int]) -> None:
        """`executed` are the local states that executions had shown before the work was shared."""
        self._stage = stage
        self._trust = trust
        self._final = stage.unfolding.final if stage.goals.decides_final else None
        self._endings: dict[object, set[object]] = {}
        """What the final function does, by what is in memory and what the threads returned."""
        self._earlier: list[tuple[Position, set[object]]] = [((), {*executed})]
        """What was old at the end of other subtrees."""
        self._position: Position = ()
        self._old: set[object] = set()
        """Was shown a whole batch ago; the other two in the batch before this one, and in this one."""
        self._previous: set[object] = set()
        self._current: set[object] = set()
        self._alike: dict[object, int] = {}
        """By what they showed that was not old, when graphs were visited: in this batch, and in the one before."""
        self._alike_before: dict[object, int] = {}

    def begin(self, position: Position) -> None:
        """Another subtree is visited."""
        if self._position:
            self._earlier.append((self._position, self._old))
        self._position = position
        if self._trust.deadlocks is not None:
            self._trust.deadlocks.clear()  # a subtree that comes before may have been visited after
        self._old = set().union(*(old for other, old in self._earlier if other < position))
        self._previous, self._current = set(), set()
        self._alike, self._alike_before = {}, {}

    def found(self, visited: int, full: Graph | None) -> Iterator[Found]:
        """What came of one more step: failures, and a full graph, the `visited`th, if it led to one."""
        failures, self._trust.failures = self._trust.failures, []
        for shows, failed in failures:
            yield Found(visited, full is not None, pack(self._stage.unfolding, shows), failed=failed)
        if full is not None:
            for graph in self._trust.executions(full):
                yield from self._new(visited, graph)
            if visited % BATCH == 0:
                self._turn()

    def _new(self, visited: int, graph: Graph) -> Iterator[Found]:
        """A full graph, if it shows what is not old."""
        new = frozenset(({*shown(graph)} | self._ending(graph)) - self._old)
        if not new:
            return
        self._current |= new
        like = self._alike.get(new) or self._alike_before.get(new) or 0
        if not like:
            self._alike[new] = visited
        yield Found(visited, True, None if like else pack(self._stage.unfolding, graph), like)

    def _turn(self) -> None:
        """A batch of graphs was visited."""
        self._old |= self._previous
        self._previous, self._current = self._current, set()
        self._alike, self._alike_before = {}, self._alike

    def _ending(self, graph: Graph) -> set[object]:
        """The steps of the final function after an execution, each by its state and what it reads."""
        if self._final is None:
            return set()
        unfolding, left = self._stage.unfolding, memory(graph)
        returned = [unfolding.returned(end) if isinstance(end.terminal, Ended) else NOTHING for end in graph.ends]
        key = (frozenset(left.items()), tuple(returned))
        found = self._endings.get(key)
        if found is None:
            machine = Machine.at_rest(unfolding, self._stage.model, graph.ends, left)
            found = self._endings[key] = self._final_steps(self._final.index, machine)
        return found

    def _final_steps(self, final: int, machine: Machine) -> set[object]:
        """The steps; and one that nothing else has where there is a choice, so that the execution tells."""
        found: set[object] = set()
        alone = (NOTHING, len(self._endings))
        while True:
            state = machine.states[final]
            if state.inputs:
                return {*found, alone}
            if machine.can_run(final):
                found.add((state.number, machine.visible(final)))
                try:
                    machine.run(final, NOTHING)
                except CheckerError:
                    return {*found, alone}
            elif machine.buffers[final]:
                machine.commit(final, machine.committable(final)[0])
            else:
                return found
