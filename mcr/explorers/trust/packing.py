"""Graphs and forks in a form that another process can read, which was forked from the same one.

Events are numbered by the graph itself, in the same way everywhere. Threads that are spawned, locations, local states
and values may have other numbers in each process: they are found again by letting the threads go the same way.
"""

from __future__ import annotations

from typing import NamedTuple

from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Graph, Numbers
from mcr.explorers.trust.label import Label
from replay.errors import InternalError
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.shown import shown


class Packed(NamedTuple):
    """A graph, or a fork of it.

    threads       by number of an event the name of its thread
    sources       by number, as in `Graph.source`
    chosen        by number, the input that it chooses, as shown; None if it chooses none
    before, porf  by number, as in `Graph`
    co            for each location the numbers of its writes in coherence order
    fork          the rest of a fork: its number, its options, and whether it reads
    """

    threads: list[str]
    sources: list[int]
    chosen: list[str | None]
    before: list[Numbers]
    porf: list[Numbers]
    co: list[tuple[int, ...]]
    fork: tuple[int, list[int], bool] | None = None


def pack(unfolding: Unfolding, work: Graph | Fork) -> Packed:
    """The work, to be sent to another process."""
    graph = work.graph if isinstance(work, Fork) else work
    return Packed(
        threads=[unfolding.thread_name(event.thread) for event in graph.events],
        sources=graph.source,
        chosen=[shown(unfolding.values[event.chosen]) if event.chosen != NOTHING else None for event in graph.events],
        before=graph.before,
        porf=graph.porf,
        co=[*graph.co.values()],
        fork=(work.number, work.options, work.reads) if isinstance(work, Fork) else None,
    )


def unpack(unfolding: Unfolding, trust: Trust, packed: Packed) -> Graph | Fork:
    """The work, with the states and labels of this process."""
    graph = unpack_graph(unfolding, trust, packed)
    return graph if packed.fork is None else Fork(graph, *packed.fork)


def unpack_graph(unfolding: Unfolding, trust: Trust, packed: Packed) -> Graph:
    """Its graph alone."""
    return _Retracing(unfolding, trust, packed).graph()


class _Retracing:
    """Lets threads do again what they do in a graph, each event after those that it depends on."""

    def __init__(self, unfolding: Unfolding, trust: Trust, packed: Packed) -> None:
        self._unfolding = unfolding
        self._trust = trust
        self._packed = packed
        self._events: dict[int, Label] = {}
        self._ends: list[State] = []
        self._latest: dict[int, Label] = {}
        self._updating: dict[int, Edge] = {}
        self._blocked: list[int] = []
        porf = packed.porf
        for number in sorted(range(len(porf)), key=lambda number: porf[number].bit_count()):
            self._go_on(number)

    def _go_on(self, number: int) -> None:
        """The next event, of this number."""
        thread = self._thread(number)
        state, previous = self._ends[thread], self._latest.get(thread)
        if thread in self._updating:
            assert previous is not None
            event = self._trust.labels.write(self._updating.pop(thread), previous)
        elif state.inputs:
            event = self._choice(number, state, previous)
        else:
            event = self._trust.labels.at(state, previous)
            self._take(number, event)
        self._events[number] = self._latest[thread] = event

    def _thread(self, number: int) -> int:
        info = self._unfolding.thread(self._packed.threads[number])
        assert info is not None, "whatever spawns it comes before it"
        self._ends += [info.root for info in self._unfolding.threads[len(self._ends) :]]
        return info.index

    def _choice(self, number: int, state: State, previous: Label | None) -> Label:
        values = self._unfolding.input_shown_as(state, self._packed.chosen[number])
        if len(values) != 1:
            raise InternalError(f"{len(values)} values to choose from are shown as {self._packed.chosen[number]}")
        step = self._unfolding.step(state, values[0])
        self._ends[state.thread] = step.after
        return self._trust.labels.choice(step, previous)

    def _take(self, number: int, event: Label) -> None:
        """Do the step of an event, unless it is a read that has no source, or blocks its thread."""
        thread, source = event.thread, self._packed.sources[number]
        if not event.reads:
            self._ends[thread] = self._trust.after(event, self._ends)
        elif source != NO_SOURCE:
            step = self._trust.result(event, None if source == INITIAL else self._events[source])
            if step is None:
                self._blocked.append(thread)
                return
            self._ends[thread] = step.after
            if step.wrote != NOTHING:
                self._updating[thread] = step

    def graph(self) -> Graph:
        graph = self._trust.first()
        graph.events = [self._events[number] for number in range(len(self._events))]
        graph.source, graph.before, graph.porf = self._packed.sources, self._packed.before, self._packed.porf
        graph.ends = self._ends + [info.root for info in self._unfolding.threads[len(self._ends) :]]
        graph.lines = [()] * len(graph.ends)
        for number, event in enumerate(graph.events):
            graph.lines[event.thread] = (*graph.lines[event.thread], number)
        graph.pending, graph.blocked = tuple(self._updating), tuple(self._blocked)
        graph.co = {graph.events[order[0]].loc: order for order in self._packed.co}
        graph.know_readers()
        return graph
