"""A process that visits part of all execution graphs, and tells of those that may be worth to be executed.

Which ones are is decided where all parts are known (`together`). A graph is
left out if everything in it was in graphs that are a whole batch older, of the
same piece of work, or was executed before the work was shared: it cannot be
news then, nor help to choose among those that are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.explorers.trust.cover import shown
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import memory
from mcr.explorers.trust.survey import BATCH
from mcr.explorers.trust.travel import PackedFork, PackedGraph, pack_fork, pack_graph, unpack_fork, unpack_graph
from replay.code.thread_run import Ended
from replay.errors import CheckerError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING

_EVERY = 0.02
"""Seconds between two looks at the line."""

Packed = tuple[str, PackedGraph | PackedFork]
"""A piece of work by names: "graph" or "fork", and it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a piece of work has shown when so many graphs of it had been visited.

    visited  how many, the one that shows it included
    is_full  whether it came with a full graph
    graph    a full graph, or the causal past of a failure
    like     in place of a full graph, when another one was visited that shows the same; 0 for none
    failed   the thread that failed, "" if `graph` is a full one
    error    the model is broken
    """

    visited: int
    is_full: bool
    graph: PackedGraph | None = None
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


class Helper:
    """Visits pieces of work. It is a twin of the process that shares them, and knows all that was executed there."""

    def __init__(
        self, stage: Stage, trust: Trust, executed: set[int], figures: Callable[[], tuple[tuple[str, int], ...]]
    ) -> None:
        self._stage = stage
        self._trust = trust
        self._figures = figures
        self._executed = executed
        unfolding = stage.unfolding
        self._final = unfolding.final if stage.goals.decides_final else None
        final = NOTHING if self._final is None else self._final.index
        self._final_edges = {(edge.before.number, edge.read) for edge in unfolding.edges if edge.before.thread == final}
        self._endings: dict[object, set[tuple[int, int]]] = {}
        """The steps of the final function, by what is in memory and what the threads returned."""

    def serve(self, line: Connection, waiting: list[Graph | Fork]) -> None:
        """Do the pieces that come along the line: indices of `waiting`, or packed ones; until there comes None."""
        while (message := line.recv()) is not None:
            match message:
                case "give":
                    line.send(("kept", None))
                case int():
                    self._visit([waiting[message]], line)
                case _:
                    self._visit([self._unpacked(message)], line)

    def _unpacked(self, packed: Packed) -> Graph | Fork:
        kind, content = packed
        unpack = unpack_fork if kind == "fork" else unpack_graph
        return unpack(self._stage, self._trust, content)

    def _visit(self, stack: list[Graph | Fork], line: Connection) -> None:
        try:
            self._visit_all(stack, line)
        except Stopped as stopped:
            line.send(("stopped", stopped.stop))

    def _visit_all(self, stack: list[Graph | Fork], line: Connection) -> None:
        trust, visited, found = self._trust, 0, list[Found]()
        sieve = _Sieve(self._executed, self._final_edges)
        next_look = time.monotonic() + _EVERY
        before = dict(self._figures())
        while stack:
            try:
                full = trust.advance(stack.pop())
                stack += trust.aside
                trust.aside.clear()
                visited += full is not None
                self._note_failures(visited, full is not None, found)
                if full is not None:
                    for graph in trust.executions(full):
                        like = sieve.like(visited, shown(graph), self._ending(graph))
                        if like is not None:
                            packed = None if like else pack_graph(self._stage, graph)
                            found.append(Found(visited, True, packed, like))
                    if visited % BATCH == 0:
                        sieve.turn()
            except CheckerError as error:
                found.append(Found(visited, False, error=error))
                stack.clear()
            if time.monotonic() >= next_look:
                line.send(("found", found))
                found = []
                if line.poll():
                    assert line.recv() == "give"
                    line.send(_given(self._stage, stack))
                next_look = time.monotonic() + _EVERY
        after = self._figures()
        line.send(("ended", (found, visited, {name: count - before[name] for name, count in after})))

    def _note_failures(self, visited: int, is_full: bool, found: list[Found]) -> None:
        failures, self._trust.failures = self._trust.failures, []
        for past, failed in failures:
            thread = self._stage.unfolding.thread_name(failed.thread)
            found.append(Found(visited, is_full, pack_graph(self._stage, past), failed=thread))

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
            found = self._endings[key] = set()
            machine = Machine.at_rest(unfolding, self._stage.model, graph.ends, left)
            while True:
                state = machine.states[final.index]
                if state.inputs:  # it goes on in several ways, which are looked at when it is executed
                    found.add((NOTHING, len(self._endings)))
                    break
                if machine.can_run(final.index):
                    found.add((state.number, machine.visible(final.index)))
                    machine.run(final.index, NOTHING)
                elif machine.buffers[final.index]:
                    machine.commit(final.index, machine.committable(final.index)[0])
                else:
                    break
        return found


def _given(stage: Stage, stack: list[Graph | Fork]) -> tuple[str, Packed | None]:
    """Part with what would be visited last, which is most of it; ("kept", None) if there is but one way to go on."""
    last = stack[0] if stack else None
    if isinstance(last, Fork) and len(last.options) > 1:
        half = len(last.options) // 2
        given = Fork(last.graph.copy(), last.number, last.options[:half], last.reads)
        last.options = last.options[half:]
        return "given", ("fork", pack_fork(stage, given))
    if last is None or len(stack) < 2:
        return "kept", None
    del stack[0]
    return "given", ("fork", pack_fork(stage, last)) if isinstance(last, Fork) else ("graph", pack_graph(stage, last))
