"""Labelled edges, graphs of them, and their shortest cycles.

`forbidden_cycle` tells which cycle forbids a recorded execution under a model, in the order of writes that it has
itself. Under SC that is the criterion of Shasha and Snir: an execution is one of SC if and only if po, rf, co and fr
together have no cycle ([alglave-2013] section 4, [bui-2021] section 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import pairwise

from mcr.consistency.partial_order import bit_set, members
from mcr.executions.relations import neighbours, placed, preserved, relations
from replay.frontend.threads import end_location
from replay.traces.trace import Step, Trace
from replay.world.memory_model import Axiom, MemoryModel
from replay.world.operation import Kind


@dataclass(frozen=True, slots=True)
class CycleEdge:
    """Two actions in a relation of the literature: po, ppo, fence, rf, co, fr, end (of a thread, before a join), or
    commit (the record says which of two writes to different locations reached memory first)."""

    source: int
    relation: str
    target: int


@dataclass(frozen=True)
class Reason:
    """Why a co or fr edge holds where no order of writes is recorded.

    For co: `path` leads from the edge's source to `read`, which reads from its target; so the source is
    overwritten before. For fr: `path` leads from the write that `read` reads from to the edge's target.
    """

    edge: CycleEdge
    path: tuple[CycleEdge, ...]
    read: int


@dataclass(frozen=True)
class ActionCycle:
    """Edges of which each begins where the one before ends, the last at the first's source.

    axiom    which of the model's axioms forbids it
    assumed  pairs of writes whose co is assumed, where all orders are tried
    reasons  for the edges of the cycle that are forced, and for those of the reasons' paths
    """

    edges: tuple[CycleEdge, ...]
    axiom: Axiom
    assumed: tuple[tuple[int, int], ...] = ()
    reasons: tuple[Reason, ...] = ()


class ActionGraph:
    """A directed graph on 0..size-1; of two edges between the same actions the first is kept.

    A *shortcut* is an edge that a path implies: cycles use it, who reaches whom is decided without it.
    """

    def __init__(self, size: int) -> None:
        self._labels: dict[tuple[int, int], str] = {}
        self._next: list[list[int]] = [[] for _ in range(size)]
        self._shortcuts: list[list[int]] = [[] for _ in range(size)]
        self._reached: dict[int, int] = {}

    def copy(self) -> ActionGraph:
        twin = ActionGraph(0)
        twin._labels = self._labels.copy()
        twin._next = [following[:] for following in self._next]
        twin._shortcuts = self._shortcuts  # these never change after the program order is in
        return twin

    def add(self, edge: CycleEdge, *, shortcut: bool = False) -> bool:
        """Add an edge; whether it is new."""
        pair = (edge.source, edge.target)
        if pair in self._labels:
            return False
        self._labels[pair] = edge.relation
        if shortcut:
            self._shortcuts[edge.source].append(edge.target)
        else:
            self._next[edge.source].append(edge.target)
            self._reached.clear()
        return True

    def sorted(self) -> tuple[int, ...]:
        """The actions that have edges, each after those from which one leads to it; the graph has no cycle."""
        order: TopologicalSorter[int] = TopologicalSorter()
        for source, following in enumerate(self._next):
            for target in following:
                order.add(target, source)
        return tuple(order.static_order())

    def has(self, source: int, target: int) -> bool:
        return (source, target) in self._labels

    def reaches(self, source: int, target: int) -> bool:
        """Returns whether a path of at least one edge leads from one to the other."""
        if source not in self._reached:
            self._reached[source] = self._reach(source)
        return bool(self._reached[source] >> target & 1)

    def _reach(self, source: int) -> int:
        found, stack = 0, [source]
        while stack:
            for target in self._next[stack.pop()]:
                if not found >> target & 1:
                    found |= 1 << target
                    stack.append(target)
        return found

    def shortest_cycle(self) -> list[CycleEdge] | None:
        """A cycle of the fewest edges, the first by its smallest action; None if there is none."""
        cyclic = sum(1 << node for node in range(len(self._next)) if self.reaches(node, node))
        best: list[int] | None = None
        for start in members(cyclic):
            cycle = self._cycle_through(start, cyclic)
            if best is None or len(cycle) < len(best):
                best = cycle
        if best is None:
            return None
        return self._edges([*best, best[0]])

    def shortest_path(self, source: int, target: int) -> tuple[CycleEdge, ...]:
        """A path of the fewest edges; there must be one."""
        return tuple(self._edges(self._walk(source, target, -1)))

    def _cycle_through(self, start: int, cyclic: int) -> list[int]:
        return self._walk(start, start, cyclic)[:-1]

    def _edges(self, nodes: list[int]) -> list[CycleEdge]:
        return [CycleEdge(one, self._labels[one, two], two) for one, two in pairwise(nodes)]

    def _walk(self, start: int, end: int, within: int) -> list[int]:
        """Breadth first from `start` to `end` through nodes of the bit set `within`; at least one edge."""
        came_from: dict[int, int] = {}
        frontier = [start]
        while end not in came_from:
            following: list[int] = []
            for node in frontier:
                for target in (*self._next[node], *self._shortcuts[node]):
                    if target not in came_from and within >> target & 1:
                        came_from[target] = node
                        following.append(target)
            assert following, "the end is reachable"
            frontier = following
        walk = [end, came_from[end]]
        while walk[-1] != start:
            walk.append(came_from[walk[-1]])
        return walk[::-1]


def settled(trace: Trace) -> Trace:
    """The trace going on until all buffers are empty, the oldest store first."""
    pending = sorted((event for event in trace.events if event.moment == math.inf), key=lambda event: event.executed)
    steps = (*trace.steps, *(Step(event.thread, event.id, commit=True) for event in pending))
    moments = {event.id: len(trace.steps) + number for number, event in enumerate(pending)}
    events = tuple(
        replace(event, committed=moments[event.id]) if event.id in moments else event for event in trace.events
    )
    return replace(trace, events=events, steps=steps)


def preserved_before(trace: Trace, model: MemoryModel) -> list[int]:
    """For each event the set of those that ppo puts before it, as bits."""
    before = [0] * len(trace.events)
    for thread in trace.threads:
        line = list(trace.of_thread(thread))
        for event, positions in zip(line, preserved(list(map(placed, line)), model).before, strict=True):
            before[event.id] = bit_set([line[position].id for position in members(positions)])
    return before


def forbidden_cycle(trace: Trace, model: MemoryModel) -> tuple[CycleEdge, ...]:
    """A shortest cycle of ppo under the model, external rf, co and fr in a settled trace; empty if there is none."""
    graph, found = ActionGraph(len(trace.events)), relations(trace)
    co = [(one, "co", two) for one, two in neighbours(found.co)]
    rf = [(source, "rf", read) for read, source in found.rf.items() if source is not None]
    fr = [(read, "fr", write) for read, write in found.fr]
    external = [edge for edge in rf if trace.events[edge[0]].thread != trace.events[edge[2]].thread]
    for source, relation, target in (*external, *co, *fr, *_ends(trace)):
        graph.add(CycleEdge(source, relation, target))
    for later, before in enumerate(preserved_before(trace, model)):
        for earlier in members(before):
            graph.add(CycleEdge(earlier, "po", later))
    return tuple(graph.shortest_cycle() or ())


def _ends(trace: Trace) -> Iterator[tuple[int, str, int]]:
    """From everything that a thread does to who waits for its end."""
    for waiting in trace.events:
        for event in trace.events:
            joined = waiting.kind == Kind.JOIN.value and waiting.location == end_location(event.thread).name
            if joined or (waiting.kind == Kind.FINAL.value and event.thread != waiting.thread):
                yield event.id, "end", waiting.id
