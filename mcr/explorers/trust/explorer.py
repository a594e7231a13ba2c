"""TruSt: Algorithm 1 of [kokologiannakis-2022], with a stack of its caller's in place of recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.explorers.trust.graph import INITIAL, ExecutionGraph, Numbers
from mcr.explorers.trust.label import EventLabel, Labels
from mcr.explorers.trust.schedule import deadlock_of, someone_waits
from replay.code.terminals import Ended, Failed
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import ThreadInfo, Unfolding
from replay.traces.trace import Failure, FailureIdentity
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId


class ThreadOrder:
    """The threads of an unfolding in an order that their names decide: as declared, then children, then theirs.

    Numbers of spawned threads depend on who was met first, so they may differ in two processes, and the algorithm needs
    that everybody adds events in one order.
    """

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._threads: list[int] = []

    def threads(self) -> list[int]:
        """The numbers of the threads that are known, the final function last."""
        if len(self._threads) < len(self._unfolding.threads):
            self._threads = [info.index for info in sorted(self._unfolding.threads, key=_by_name)]
        return self._threads

    def first(self, threads: tuple[int, ...]) -> int:
        """The first of some threads, one at least."""
        return min(threads, key=self.threads().index)


def _by_name(info: ThreadInfo) -> tuple[bool, int, list[int]]:
    path = [] if info.is_final else [int(part) for part in info.name.split(".")]
    return info.is_final, len(path), path


@dataclass(slots=True, eq=False)
class Fork:
    """A graph whose latest event may read from several writes, or be at several places in co.

    options  sources or places, the next one last
    reads    whether they are sources
    """

    graph: ExecutionGraph
    number: int
    options: list[int]
    reads: bool
    depth_first: ClassVar[bool] = True


class Trust:
    """Visits the execution graphs of one program under one memory model; the final function is left out.

    An update is a read and, if it writes, a write right after it, as in the
    paper. A lock that is taken reads that it is, and blocks its thread: such a
    graph may be full, and yet no execution, as the lock is released in it
    (`executions`).

    labels    of the events of all graphs
    order     of the threads: whose event comes next
    aside     graphs that `advance` put aside, the last one to be visited first; the caller takes them
    failures  for each local state in which a thread was seen to fail the graph of its causal past, before any full
              graph that has it; and for each deadlock a full graph. Each comes once, and the caller takes them
    deadlocks those that came, None if nobody looks for them
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, *, deadlocks: bool = False) -> None:
        """`deadlocks`: whether they are failures."""
        self._unfolding = unfolding
        self._model = model
        self.deadlocks: set[FailureIdentity] | None = set() if deadlocks else None
        self.labels = Labels(unfolding, model)
        self.order = ThreadOrder(unfolding)
        self._final = unfolding.final.index if unfolding.final else NOTHING
        self._failed: set[int] = set()
        self.aside: list[ExecutionGraph | Fork] = []
        self.failures: list[tuple[ExecutionGraph, Failure]] = []

    def first(self) -> ExecutionGraph:
        """The empty graph."""
        return ExecutionGraph([info.root for info in self._unfolding.threads])

    def advance(self, waiting: ExecutionGraph | Fork) -> ExecutionGraph | None:
        """Go on from a graph to a full one, which belongs to the caller; None if there is none on that way."""
        graph: ExecutionGraph | None = self._advance(waiting) if isinstance(waiting, Fork) else waiting
        while graph is not None:
            self._unfolding.check()
            thread = self._next(graph)
            if thread == NOTHING:
                self._look_for_deadlock(graph)
                return graph
            graph = self._visit(graph, thread)
        return None

    def executions(self, full: ExecutionGraph) -> Iterator[ExecutionGraph]:
        """A full graph as an execution, if it is one: threads that are blocked wait for what never comes."""
        for thread in full.blocked:
            number = full.lines[thread][-1]
            order = full.co.get(full.events[number].loc, ())
            if full.source[number] != (order[-1] if order else INITIAL):
                return
        yield full

    def forget_failures(self) -> None:
        """Tell of each failure again, as another part of all graphs is visited, which may come before the last one."""
        self._failed.clear()
        if self.deadlocks is not None:
            self.deadlocks.clear()

    def _look_for_deadlock(self, full: ExecutionGraph) -> None:
        """If threads wait for ever at the end of a full graph, tell."""
        if self.deadlocks is None or not someone_waits(full, self._final):
            return
        for graph in self._waiting(full):
            deadlock = deadlock_of(graph, self._unfolding, self._model)
            if deadlock is not None and deadlock.identity not in self.deadlocks:
                self.deadlocks.add(deadlock.identity)
                self.failures.append((graph.copy(), deadlock))

    def _waiting(self, full: ExecutionGraph) -> Iterator[ExecutionGraph]:
        """A full graph with the endings in which those may wait for ever who wait."""
        return self.executions(full)

    # -- what comes next -----------------------------------------------------

    def _next(self, graph: ExecutionGraph) -> int:
        """The thread whose event comes next, NOTHING if the graph is full."""
        self._welcome(graph)
        if graph.pending:
            return self.order.first(graph.pending)
        for thread in self.order.threads():
            state = graph.ends[thread]
            if state.operation is not None and thread != self._final and self._is_available(graph, thread, state):
                return thread
        return NOTHING

    def _is_available(self, graph: ExecutionGraph, thread: int, state: State) -> bool:
        operation = state.operation
        assert operation is not None
        if operation.kind is Kind.JOIN:
            target = self._unfolding.thread(operation.target)
            return target is not None and isinstance(graph.ends[target.index].terminal, Ended)
        if operation.kind is Kind.START:
            return state.loc in graph.co
        return thread not in graph.blocked

    def _visit(self, graph: ExecutionGraph, thread: int) -> ExecutionGraph | None:
        """Add the next event of a thread in every way; returns one graph to go on with, the others are put aside."""
        line = graph.lines[thread]
        previous = graph.events[line[-1]] if line else None
        state = graph.ends[thread]
        if thread in graph.pending:
            assert previous is not None
            graph.pending = tuple(other for other in graph.pending if other != thread)
            step = self._result(graph, previous, graph.source[line[-1]])
            assert step is not None
            return self._add_write(graph, self.labels.write(step, previous))
        if state.inputs:
            return self._add_choice(graph, state, previous)
        event = self.labels.at(state, previous)
        if event.reads:
            return self._add_read(graph, event)
        after = event.after
        if after is None:
            after = self._unfolding.step(state, self._unfolding.returned(graph.ends[event.joins])).after
        graph.ends[thread] = after
        if event.value != NOTHING:
            return self._add_write(graph, event)
        self._note_failure(graph, graph.add(event))
        return graph

    def _welcome(self, graph: ExecutionGraph) -> None:
        """Make room for threads that the unfolding has met."""
        for info in self._unfolding.threads[len(graph.ends) :]:
            graph.ends.append(info.root)
            graph.lines.append(())

    # -- events --------------------------------------------------------------

    def _add_choice(self, graph: ExecutionGraph, state: State, previous: EventLabel | None) -> ExecutionGraph:
        for value in state.inputs[1:]:
            self._unfolding.check()
            self.aside.append(self._choose(graph.copy(), state, value, previous))
        return self._choose(graph, state, state.inputs[0], previous)

    def _choose(
        self, graph: ExecutionGraph, state: State, value: ValueId, previous: EventLabel | None
    ) -> ExecutionGraph:
        step = self._unfolding.step(state, value)
        graph.ends[state.thread] = step.after
        self._note_failure(graph, graph.add(self.labels.choice(step, previous)))
        return graph

    def _add_read(self, graph: ExecutionGraph, event: EventLabel) -> ExecutionGraph:
        number = graph.add(event)
        sources = self._sources(graph, number)
        for source in sources[:-1]:
            step = self._result(graph, event, source)
            if step is not None and self._is_new_failure(step.after):
                self._read(graph.copy(), number, source)  # to tell of it now, not when its turn comes
        return self._advance(Fork(graph, number, sources, reads=True))

    def _result(self, graph: ExecutionGraph, event: EventLabel, source: int) -> Edge | None:
        """The step of a read from a write; None if it has to wait for another value."""
        state = event.state
        value = self._unfolding.initial[event.loc] if source == INITIAL else graph.events[source].value
        step = state.edges.get(value)
        if step is None:
            if not self._unfolding.accepts(state, value):
                return None
            step = self._unfolding.step(state, value)
        return step

    def _sources(self, graph: ExecutionGraph, number: int) -> list[int]:
        """Returns the events from which a read without a source may read."""
        return graph.sources(number)

    def _may_read(self, graph: ExecutionGraph, number: int, source: int) -> bool:
        """Returns whether a read may read from that event."""
        return source in graph.sources(number)

    def _set_source(self, graph: ExecutionGraph, number: int, source: int) -> None:
        """SETRF."""
        graph.read(number, source)

    def _read(self, graph: ExecutionGraph, number: int, source: int) -> None:
        self._set_source(graph, number, source)
        event = graph.events[number]
        step = self._result(graph, event, source)
        if step is None:
            graph.blocked = (*graph.blocked, event.thread)
            return
        graph.ends[event.thread] = step.after
        if step.wrote != NOTHING:
            graph.pending = (*graph.pending, event.thread)
        self._note_failure(graph, number)

    def _add_write(self, graph: ExecutionGraph, event: EventLabel) -> ExecutionGraph | None:
        number = graph.add(event)
        if not event.updates:
            self._note_failure(graph, number)
        self._revisit(graph, number)
        places = self._places(graph, number)
        return self._advance(Fork(graph, number, places, reads=False)) if places else None

    def _places(self, graph: ExecutionGraph, number: int) -> list[int]:
        """Returns the places in co for a new write (VISITCOS)."""
        return graph.places(number)

    def _advance(self, fork: Fork) -> ExecutionGraph:
        """A graph with the next option of a fork; the others are put aside."""
        option = fork.options.pop()
        graph = fork.graph
        if fork.options:
            self.aside.append(fork)
            graph = graph.copy()
        if fork.reads:
            self._read(graph, fork.number, option)
        else:
            graph.write(fork.number, option)
        return graph

    def _revisit(self, graph: ExecutionGraph, write: int) -> None:
        """Put aside the graphs in which an earlier read reads from a new write."""
        loc = graph.events[write].loc
        porf = graph.porf[write]
        readers = graph.initial.get(loc, 0)
        for other in graph.co.get(loc, ()):
            readers |= graph.readers[other]
        readers &= ~porf
        while readers:
            self._unfolding.check()
            reader = readers.bit_length() - 1
            readers ^= 1 << reader
            kept = (1 << reader + 1) - 1 | porf
            if self._may_revisit(graph, reader, kept, porf):
                self._put_aside(*graph.revisited(reader, kept))

    def _may_revisit(self, graph: ExecutionGraph, reader: int, kept: Numbers, porf: Numbers) -> bool:
        """Returns whether a reader, and all that a revisit of it would delete, were added maximally."""
        return graph.is_maximal(reader, porf, graph.co) and all(
            graph.is_maximal(number, porf, graph.co) for number in deleted(graph, kept)
        )

    def _put_aside(self, graph: ExecutionGraph, reader: int) -> None:
        write = len(graph.events) - 1
        for place in reversed(self._places(graph, write)):
            twin = graph.copy()
            twin.write(write, place)
            if self._may_read(twin, reader, write):
                self._read(twin, reader, write)
                self.aside.append(twin)

    def _is_new_failure(self, after: State) -> bool:
        return isinstance(after.terminal, Failed) and after.number not in self._failed

    def _note_failure(self, graph: ExecutionGraph, number: int) -> None:
        """If a thread failed after its latest event, tell."""
        thread = graph.events[number].thread
        after = graph.ends[thread]
        if not isinstance(after.terminal, Failed) or not self._is_new_failure(after):
            return
        self._failed.add(after.number)
        porf = graph.porf[number]
        past = graph.restricted(porf)
        number = (porf & (1 << number) - 1).bit_count()
        event = past.events[number]
        if thread in past.pending:
            step = self._result(past, event, past.source[number])
            assert step is not None
            event = self.labels.write(step, event)
            past.pending = ()
            number = past.add(event)
        if event.value != NOTHING:
            past.write(number, past.places(number)[-1])
        self.failures.append((past, Failure.of(self._unfolding.thread_name(thread), after.terminal)))


def deleted(graph: ExecutionGraph, kept: Numbers) -> Iterator[int]:
    """The events of a graph that are not kept, the last one first."""
    left = (1 << len(graph.events)) - 1 & ~kept
    while left:
        number = left.bit_length() - 1
        left ^= 1 << number
        yield number
