"""The writes-before relation wb of an execution graph: [kokologiannakis-2022] section 4.2.

A write is before another one of its location if every co has it so, for one of
these reasons: it is before it by ppo and rf, or before a read from it (figure
11), or the other one leaves no room between an update and its source. What
counts of program order is ppo, as that is the order in which stores reach
memory.
"""

from __future__ import annotations

from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Coherence, Graph, Numbers
from replay.machine.state import NOTHING, LocationId


class WritesBefore:
    """wb on some events of a graph, which are closed under po and rf.

    earlier      by write those before it at its location
    is_possible  whether that has no cycle, and no read is kept from its source: else the events are inconsistent
    """

    def __init__(self, graph: Graph, kept: Numbers) -> None:
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
        """What is before a read is before its source; False if that cannot be its source."""
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
        """What is before an update is before its source, and what is after its source is after the update."""
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
