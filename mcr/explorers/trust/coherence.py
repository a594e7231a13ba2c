"""A coherence order for a graph that records none: GetConsCO of [kokologiannakis-2022] section 4.2.

The writes-before relation wb says which writes every co orders in the same way,
but under SC, TSO and PSO not whether there is a co (docs/algorithms.md has the
least program). So it comes first, and what it leaves open is decided by the
procedures of `mcr.consistency`. The answer depends on the events and their
sources alone, not on how they were found, as the algorithm needs: events are
named by thread and program order.

`WritesBefore` is that relation: a write is before another one of its location
if every co has it so, for one of these reasons: it is before it by ppo and rf, or before a read from it (figure
11), or the other one leaves no room between an update and its source. What
counts of program order is ppo, as that is the order in which stores reach
memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mcr.consistency.instance import SearchOptions
from mcr.executions.equivalence import OperationId
from mcr.exploration.events import ThreadEvent
from mcr.exploration.realizing import Wanted, realized
from mcr.exploration.verdict import Statistics
from mcr.explorers.trust.explorer import ThreadOrder
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Coherence, ExecutionGraph, Numbers
from replay.errors import InternalError
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


class WritesBefore:
    """wb on some events of a graph, which are closed under po and rf.

    earlier      by write those before it at its location
    is_possible  whether that has no cycle, and no read is kept from its source: else the events are inconsistent
    """

    def __init__(self, graph: ExecutionGraph, kept: Numbers) -> None:
        self._graph = graph
        alone = graph.copy()
        alone.reorder({})
        self._before = alone.before
        self._writes: dict[LocationId, Numbers] = {}
        self._updates: dict[tuple[LocationId, int], int] = {}
        self.earlier: dict[int, Numbers] = {}
        numbers = [number for number in range(len(graph.events)) if kept >> number & 1]
        for number in numbers:
            event = graph.events[number]
            if event.value != NOTHING:
                self.earlier[number] = self._before[number]
                self._writes[event.loc] = self._writes.get(event.loc, 0) | 1 << number
        self.is_possible = all(map(self._add_source, numbers)) and all(map(self._add_update, list(self.earlier)))
        if self.is_possible:
            self._close()

    def _add_source(self, read: int) -> bool:
        """Adds that all before a read is before its source, too; returns False if that cannot be its source."""
        event, source = self._graph.events[read], self._graph.source[read]
        if source == NO_SOURCE:
            return True
        own = self._graph.lines[event.thread][event.stores[0]] if event.stores else NO_SOURCE
        if source == INITIAL:
            return not event.stores and not self._before[read] & self._writes.get(event.loc, 0)
        self.earlier[source] |= self._before[read]
        if self._graph.events[source].thread == event.thread:
            return source == own
        if own != NO_SOURCE:
            self.earlier[source] |= 1 << own
        return True

    def _add_update(self, write: int) -> bool:
        """Note whom an update is next to; False if another one is."""
        event = self._graph.events[write]
        if not event.updates:
            return True
        source = self._graph.source[self._graph.lines[event.thread][event.position - 1]]
        return self._updates.setdefault((event.loc, source), write) == write

    def _close(self) -> None:
        for write in self.earlier:
            self.earlier[write] &= self._writes[self._graph.events[write].loc] & ~(1 << write)
        known: dict[int, Numbers] = {}
        while known != self.earlier:
            known = self.earlier.copy()
            for (loc, source), update in self._updates.items():
                self._leave_no_room(loc, source, update)
            for write, earlier in known.items():
                for other in self.earlier:
                    if earlier >> other & 1:
                        self.earlier[write] |= self.earlier[other]
        self.is_possible = not any(earlier >> write & 1 for write, earlier in self.earlier.items())

    def _leave_no_room(self, loc: LocationId, source: int, update: int) -> None:
        """Orders all before an update before its source, too, and all after its source after the update."""
        for write in self.earlier:
            if write in (source, update) or not self._writes[loc] >> write & 1:
                continue
            if source == INITIAL or self.earlier[write] >> source & 1:
                self.earlier[write] |= 1 << update
            if source != INITIAL and self.earlier[update] >> write & 1:
                self.earlier[source] |= 1 << write

    def co(self) -> Coherence | None:
        """The only co that there can be; None if wb leaves several."""
        found: dict[LocationId, tuple[int, ...]] = {}
        for loc, writes in self._writes.items():
            order = [write for write in self.earlier if writes >> write & 1]
            order.sort(key=lambda write: self.earlier[write].bit_count())
            if any(self.earlier[write].bit_count() != place for place, write in enumerate(order)):
                return None
            found[loc] = tuple(order)
        return found


Last = Mapping[LocationId, int]
"""By location the number of the write that is to come last there."""


class CoherenceSearch:
    """Finds coherence orders under one memory model.

    by_wb  how many of the questions that `statistics` counts wb decided
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, statistics: Statistics | None = None) -> None:
        self._unfolding = unfolding
        self._order = ThreadOrder(unfolding)
        self._model = model
        self._statistics = statistics or Statistics()
        self.by_wb = 0

    def of_graph(self, graph: ExecutionGraph) -> Coherence | None:
        """A co under which a graph with these sources is consistent; None if there is none."""
        with self._asked():
            kept = (1 << len(graph.events)) - 1
            wb = WritesBefore(graph, kept)
            co = wb.co() if wb.is_possible else None
            if wb.is_possible and co is None:
                return self._decide(graph, kept, {})
            self.by_wb += 1
            if co is None or not _is_consistent(graph, co):
                return None
            self._statistics.realizable += 1
            return co

    def of_part(self, graph: ExecutionGraph, kept: Numbers) -> Coherence:
        """As `of_graph`, for those events of a consistent graph that are closed under po and rf."""
        with self._asked():
            co = WritesBefore(graph, kept).co()
            if co is None:
                co = self._decide(graph, kept, {})
            else:
                self.by_wb += 1
                self._statistics.realizable += 1
        if co is None:
            raise InternalError("part of a consistent execution graph is inconsistent")
        return co

    def with_last(self, graph: ExecutionGraph, kept: Numbers, last: Last) -> Coherence | None:
        """As `of_graph`, with these writes last; None if there is no such co."""
        with self._asked():
            return self._decide(graph, kept, last)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        started = time.monotonic()
        self._statistics.checks += 1
        try:
            yield
        finally:
            self._statistics.checking += time.monotonic() - started

    def _decide(self, graph: ExecutionGraph, kept: Numbers, last: Last) -> Coherence | None:
        events, writes = _operations(graph, kept, self.threads(graph))
        sources = {event.place: (event.source,) for event in events if event.reads}
        wanted = Wanted(events, sources, {loc: (_place(graph, write),) for loc, write in last.items()})
        choices = realized(wanted, self._unfolding, self._model, SearchOptions(watch=self._unfolding.check))
        if choices is None:
            return None
        self._statistics.realizable += 1
        return self._written(graph, writes, choices)

    def _written(
        self, graph: ExecutionGraph, writes: Mapping[OperationId, int], choices: Sequence[Choice]
    ) -> Coherence:
        """The order in which a schedule writes."""
        found: dict[LocationId, tuple[int, ...]] = {}
        done: dict[int, int] = {}
        waiting: dict[tuple[int, LocationId], list[int]] = {}
        for thread, commit, _ in choices:
            if commit != NOTHING:
                number = waiting[thread, commit].pop(0)
            else:
                place = (thread, done.get(thread, 0))
                done[thread] = place[1] + 1
                if place not in writes:
                    continue
                number = writes[place]
                if self._model.is_buffered(graph.events[number].access):
                    waiting.setdefault((thread, graph.events[number].loc), []).append(number)
                    continue
            loc = graph.events[number].loc
            found[loc] = (*found.get(loc, ()), number)
        return found

    def threads(self, graph: ExecutionGraph) -> list[int]:
        """The threads of a graph in an order that is the same wherever it travels."""
        return [thread for thread in self._order.threads() if thread < len(graph.lines)]


def _is_consistent(graph: ExecutionGraph, co: Coherence) -> bool:
    """Returns whether no event is before itself under this co."""
    ordered = graph.copy()
    ordered.know_readers()
    ordered.reorder(co)
    return not any(earlier >> number & 1 for number, earlier in enumerate(ordered.before))


def _operations(
    graph: ExecutionGraph, kept: Numbers, threads: Sequence[int]
) -> tuple[list[ThreadEvent], dict[OperationId, int]]:
    """Operations of a graph, thread by thread, those left out that read and have no source; and who writes where.

    An update is one of them, and two events of the graph.
    """
    events: dict[OperationId, ThreadEvent] = {}
    writes: dict[OperationId, int] = {}
    for number in (number for thread in threads for number in graph.lines[thread] if kept >> number & 1):
        label, source = graph.events[number], graph.source[number]
        place = (label.thread, label.state.depth)
        if label.value != NOTHING:
            writes[place] = number
        if label.updates and not label.reads:
            events[place] = ThreadEvent(label.state, events[place].source, label.value)
        elif not label.reads:
            events[place] = ThreadEvent(label.state, None, label.value, label.chosen)
        elif source != NO_SOURCE:
            events[place] = ThreadEvent(label.state, _place(graph, source))
        else:
            assert number == graph.lines[label.thread][-1], "nothing in its thread may come after it"
    return [*events.values()], writes


def _place(graph: ExecutionGraph, write: int) -> OperationId | None:
    return None if write == INITIAL else (graph.events[write].thread, graph.events[write].state.depth)
