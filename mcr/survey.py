"""Execution graphs in place of questions to a solver, for programs that have few of them.

A solver proves for many local states at once that they cannot be reached, and
pays for each question with the size of all that is known. To visit every
execution graph (`mcr.trust`) costs the same for each, however many they are;
but of most programs there are far too many. Where a program has about as many
graphs as local states, because what it reads depends on the values rather than
on the order of many independent accesses, they are the shorter way.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcr.classes import ClassCounter
from mcr.execution import Execution, Place
from mcr.trust.explorer import Explorer, OnFailure, is_execution
from mcr.trust.graph import INITIAL, NO_SOURCE, Graph
from mcr.trust.schedule import memory
from replay.errors import InternalError
from replay.machine import Machine
from replay.memory_model import MemoryModel
from replay.state import NOTHING, State
from replay.unfolding import Unfolding

FIRST_EXECUTIONS = 64
"""Executions before a survey: small programs are done by then, with fewer executions than there are graphs."""

LONGEST = 200
"""Operations of a thread beyond which no survey is tried, as each graph costs more than its length."""

ALLOWANCE = 100
GRAPHS_EACH = 6
"""A survey goes on as long as it needs no more graphs than this, and these for each thing that they show.

Six graphs cost about what the solver takes for one local state.
"""


class Survey:
    """Visits execution graphs, and tells which of them show a local state that no execution has shown.

    visited  how many graphs were visited
    found    how many different things they showed: local states that they passed
    """

    def __init__(
        self, unfolding: Unfolding, model: MemoryModel, on_failure: OnFailure, *, covers_final: bool = True
    ) -> None:
        """`on_failure` is told of every local state in which a thread failed, as soon as it is known."""
        self.unfolding = unfolding
        self.model = model
        self.visited = 0
        self._explorer = Explorer(unfolding, model, on_failure)
        self._final = unfolding.final.index if unfolding.final and covers_final else None
        self._shown = len(unfolding.states)
        self._passed: set[int] = set()
        self._at_first = 0

    @property
    def found(self) -> int:
        return len(self._passed)

    def graphs(self) -> Iterator[Graph]:
        """Every full graph, each valid until the next one is asked for."""
        for graph in self._explorer.graphs():
            self.visited += 1
            yield graph
            if self.visited == 1:
                self._at_first = self.found

    def pays(self) -> bool:
        """Whether graphs, the first one aside, show enough to go on."""
        return self.visited <= ALLOWANCE + GRAPHS_EACH * (self.found - self._at_first)

    def is_news(self, graph: Graph) -> bool:
        """Whether an execution of the graph shows something new; to be asked until it is played no more."""
        return is_execution(graph) and (self._pass(graph) or self._final_is_news(graph))

    def _pass(self, graph: Graph) -> bool:
        news = False
        for end in graph.ends:
            state: State | None = end
            while state is not None and state.number not in self._passed:
                self._passed.add(state.number)
                news |= state.number >= self._shown
                state = state.parent
        return news

    def _final_is_news(self, graph: Graph) -> bool:
        """Whether the final function would come to a state where it never was."""
        if self._final is None:
            return False
        waiting = [Machine.at_rest(self.unfolding, self.model, graph.ends, memory(graph))]
        while waiting:
            machine = waiting.pop()
            state = machine.states[self._final]
            if not machine.can_run(self._final):
                if machine.buffers[self._final]:
                    machine.commit(self._final, machine.committable(self._final)[0])
                    waiting.append(machine)
                continue
            for read in state.inputs or (machine.visible(self._final),):
                if read not in state.children:
                    return True
                following = machine.copy() if state.inputs else machine
                following.run(self._final, read)
                waiting.append(following)
        return False


class ClassSurvey(Survey):
    """Tells which graphs are of a class that was not seen; `found` counts the classes that they are of."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel, on_failure: OnFailure, counter: ClassCounter) -> None:
        super().__init__(unfolding, model, on_failure, covers_final=False)
        self._counter = counter
        self._classes: set[bytes] = set()
        self._latest = b""

    @property
    def found(self) -> int:
        return len(self._classes)

    def is_news(self, graph: Graph) -> bool:
        if not is_execution(graph):
            return False
        key = self._counter.finest.key(self._execution(graph))
        known = self._counter.knows(key)
        if not known and key == self._latest:
            raise InternalError("an execution graph and its execution belong to different classes")
        self._latest = key
        self._classes.add(key)
        return not known

    def _execution(self, graph: Graph) -> Execution:
        """The execution of a graph, as equivalences see it."""
        final = self.unfolding.final.index if self.unfolding.final else NOTHING
        places: list[Place] = [(event.thread, event.state.depth) for event in graph.events]
        waiting = {graph.lines[thread][-1] for thread in graph.blocked}
        sources = {
            places[number]: None if source == INITIAL else places[source]
            for number, source in enumerate(graph.source)
            if source != NO_SOURCE and number not in waiting and not graph.events[number].starts
        }
        coherence = {loc: [places[write] for write in order] for loc, order in graph.co.items()}
        ends = tuple(end for thread, end in enumerate(graph.ends) if thread != final)
        return Execution(ends, sources, coherence)
