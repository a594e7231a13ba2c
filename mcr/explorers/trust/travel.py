"""Execution graphs by names.

Events are numbered by the graph itself, in the same way everywhere. What depends on the numbers of one process are
threads, locations, local states and values: these are found again when the threads go the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from mcr.exploration.stage import Stage
from mcr.exploration.travel import read_as, refuse
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Graph, Numbers
from mcr.explorers.trust.label import Label
from replay.machine.state import NOTHING, Edge, State
from replay.world.shown import shown


class PackedGraph(TypedDict):
    """A graph.

    threads  by number of an event the name of its thread
    sources  by number, as in `Graph.source`
    chosen   by number, the input that it chooses, as shown; "" if it chooses none
    before   by number, as in `Graph.before`: in hexadecimal digits
    porf     by number, as in `Graph.porf`: in hexadecimal digits
    co       for each location the numbers of its writes in coherence order
    """

    threads: list[str]
    sources: list[int]
    chosen: list[str]
    before: list[str]
    porf: list[str]
    co: list[list[int]]


class PackedFork(TypedDict):
    """A fork: its graph, and the rest as in `Fork`."""

    graph: PackedGraph
    number: int
    options: list[int]
    reads: bool


def pack_graph(stage: Stage, graph: Graph) -> PackedGraph:
    unfolding = stage.unfolding
    return PackedGraph(
        threads=[unfolding.thread_name(event.thread) for event in graph.events],
        sources=graph.source,
        chosen=[shown(unfolding.values[event.chosen]) if event.chosen != NOTHING else "" for event in graph.events],
        before=[f"{numbers:x}" for numbers in graph.before],
        porf=[f"{numbers:x}" for numbers in graph.porf],
        co=[list(order) for order in graph.co.values()],
    )


def pack_fork(stage: Stage, fork: Fork) -> PackedFork:
    graph = pack_graph(stage, fork.graph)
    return PackedFork(graph=graph, number=fork.number, options=fork.options, reads=fork.reads)


def unpack_graph(stage: Stage, trust: Trust, packed: object) -> Graph:
    """The graph, with the labels of another exploration. Raises CheckerError if it is none of the program."""
    return _unpacked(stage, trust, read_as(packed, PackedGraph))


def unpack_fork(stage: Stage, trust: Trust, packed: object) -> Fork:
    """The fork. Raises CheckerError if it is none of the program."""
    read = read_as(packed, PackedFork)
    graph = _unpacked(stage, trust, read["graph"])
    if not 0 <= read["number"] < len(graph.events):
        refuse("a fork has no event")
    return Fork(graph, read["number"], read["options"], read["reads"])


def _unpacked(stage: Stage, trust: Trust, packed: PackedGraph) -> Graph:
    retracing = _Retracing(stage, trust, packed)
    porf = _numbers(packed["porf"])
    for number in sorted(range(len(porf)), key=lambda number: porf[number].bit_count()):
        retracing.go_on(number)
    graph = retracing.graph()
    graph.before, graph.porf = _numbers(packed["before"]), porf
    return graph


def _numbers(digits: Sequence[str]) -> list[Numbers]:
    try:
        return [int(text, 16) for text in digits]
    except ValueError:
        refuse("a set of events is none")


class _Retracing:
    """Lets threads do again what they do in a graph, each event after those that it depends on."""

    def __init__(self, stage: Stage, trust: Trust, packed: PackedGraph) -> None:
        self._unfolding = stage.unfolding
        self._trust = trust
        self._packed = packed
        self._events: dict[int, Label] = {}
        self._ends: list[State] = []
        self._latest: dict[int, Label] = {}
        self._updating: dict[int, Edge] = {}
        self._blocked: list[int] = []

    def go_on(self, number: int) -> None:
        """The next event, of this number."""
        thread = self._thread(number)
        state, previous = self._ends[thread], self._latest.get(thread)
        if thread in self._updating:
            assert previous is not None
            event = self._trust.labels.write(self._updating.pop(thread), previous)
        elif state.inputs:
            event = self._choice(number, state, previous)
        elif state.operation is None:
            refuse(f"thread {self._packed['threads'][number]} has ended before its last event")
        else:
            event = self._trust.labels.at(state, previous)
            self._take(number, event)
        self._events[number] = self._latest[thread] = event

    def _thread(self, number: int) -> int:
        info = self._unfolding.thread(self._packed["threads"][number])
        if info is None:
            refuse(f"there is no thread {self._packed['threads'][number]}")
        self._ends += [info.root for info in self._unfolding.threads[len(self._ends) :]]
        return info.index

    def _choice(self, number: int, state: State, previous: Label | None) -> Label:
        values = self._unfolding.input_shown_as(state, self._packed["chosen"][number])
        if len(values) != 1:
            refuse(f"{len(values)} values to choose from are shown as {self._packed['chosen'][number]}")
        step = self._unfolding.step(state, values[0])
        self._ends[state.thread] = step.after
        return self._trust.labels.choice(step, previous)

    def _take(self, number: int, event: Label) -> None:
        """Do the step of an event, unless it is a read that has no source, or blocks its thread."""
        thread, source = event.thread, self._packed["sources"][number]
        if not event.reads:
            self._ends[thread] = self._trust.after(event, self._ends)
        elif source != NO_SOURCE:
            if source != INITIAL and source not in self._events:
                refuse(f"event {number} reads from what does not happen before it")
            step = self._trust.result(event, self._events.get(source))
            if step is None:
                self._blocked.append(thread)
                return
            self._ends[thread] = step.after
            if step.wrote != NOTHING:
                self._updating[thread] = step

    def graph(self) -> Graph:
        """All but `before` and `porf`."""
        graph = self._trust.first()
        graph.events = [self._events[number] for number in range(len(self._events))]
        graph.source = self._packed["sources"]
        graph.ends = self._ends + [info.root for info in self._unfolding.threads[len(self._ends) :]]
        graph.lines = [()] * len(graph.ends)
        for number, event in enumerate(graph.events):
            graph.lines[event.thread] = (*graph.lines[event.thread], number)
        graph.pending, graph.blocked = tuple(self._updating), tuple(self._blocked)
        graph.co = {graph.events[order[0]].loc: tuple(order) for order in self._packed["co"]}
        graph.know_readers()
        return graph
