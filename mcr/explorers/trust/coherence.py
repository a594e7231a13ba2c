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

from mcr.consistency.instance import INITIAL as INITIAL_VALUE
from mcr.consistency.instance import NOWHERE, Action, Instance, SearchOptions, Witness, is_buffered
from mcr.consistency.verify import realize
from mcr.explorers.trust.explorer import ThreadOrder
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Coherence, Graph, Numbers
from replay.errors import InternalError
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel


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


Last = Mapping[LocationId, int]
"""By location the number of the write that is to come last there."""


class CoherenceSearch:
    """Finds coherence orders under one memory model.

    questions   how many graphs, or parts of them, were looked at
    by_wb       of these, how many wb decided
    realizable  how many had a co
    seconds     how long that took
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding = unfolding
        self._order = ThreadOrder(unfolding)
        self._model = model
        self.questions = 0
        self.by_wb = 0
        self.realizable = 0
        self.seconds = 0.0

    def of_graph(self, graph: Graph) -> Coherence | None:
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
            self.realizable += 1
            return co

    def of_part(self, graph: Graph, kept: Numbers) -> Coherence:
        """The same for events of a consistent graph that are closed under po and rf."""
        with self._asked():
            co = WritesBefore(graph, kept).co()
            if co is None:
                co = self._decide(graph, kept, {})
            else:
                self.by_wb += 1
                self.realizable += 1
        if co is None:
            raise InternalError("part of a consistent execution graph is inconsistent")
        return co

    def with_last(self, graph: Graph, kept: Numbers, last: Last) -> Coherence | None:
        """The same with these writes last, if there is one."""
        with self._asked():
            return self._decide(graph, kept, last)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        started = time.monotonic()
        self.questions += 1
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started

    def _decide(self, graph: Graph, kept: Numbers, last: Last) -> Coherence | None:
        question = _Question(graph, kept, self.threads(graph), last)
        witness = realize(question.instance(), self._model, SearchOptions(watch=self._unfolding.check)).witness
        if witness is None:
            return None
        self.realizable += 1
        return question.coherence(witness, self._model)

    def threads(self, graph: Graph) -> list[int]:
        """The threads of a graph in an order that is the same wherever it travels."""
        return [thread for thread in self._order.threads() if thread < len(graph.lines)]


def _is_consistent(graph: Graph, co: Coherence) -> bool:
    """Whether nothing is before itself under this co."""
    ordered = graph.copy()
    ordered.know_readers()
    ordered.reorder(co)
    return not any(earlier >> number & 1 for number, earlier in enumerate(ordered.before))


class _Question:
    """Events of a graph as an instance, in which the two events of an update are one action."""

    def __init__(self, graph: Graph, kept: Numbers, threads: Sequence[int], last: Last) -> None:
        self._graph = graph
        self._last = last
        self._lines = [[number for number in graph.lines[thread] if kept >> number & 1] for thread in threads]
        self._rank = {thread: rank for rank, thread in enumerate(threads)}
        self._locations: dict[LocationId, int] = {}
        self._ids: dict[int, int] = {}
        self._writes: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._size = 0
        awaited = {self._rank[event.joins] for event in graph.events if event.joins != NOTHING}
        for rank, line in enumerate(self._lines):
            self._number(line)
            if line and (last or rank in awaited):
                self._ends[rank] = self._next()

    def _number(self, line: Sequence[int]) -> None:
        """Give the events of a thread their ids."""
        for number in line:
            event = self._graph.events[number]
            writes = event.value != NOTHING
            self._ids[number] = self._size - 1 if writes and event.updates else self._next()
            if writes:
                self._writes[self._ids[number]] = number

    def _next(self) -> int:
        self._size += 1
        return self._size - 1

    def instance(self) -> Instance:
        actions: list[Action] = []
        good: dict[int, tuple[int, ...]] = {}
        for rank, line in enumerate(self._lines):
            first = len(actions)
            for number in line:
                if self._ids[number] == len(actions):
                    actions.append(self._action(number, rank, len(actions) - first))
                source = self._graph.source[number]
                if source != NO_SOURCE:
                    good[self._ids[number]] = (INITIAL_VALUE if source == INITIAL else self._ids[source],)
            if rank in self._ends:
                actions.append(Action(len(actions), rank, len(actions) - first, Access.BARRIER))
        for index, (loc, write) in enumerate(self._last.items()):
            good[len(actions)] = (INITIAL_VALUE if write == INITIAL else self._ids[write],)
            actions.append(self._observer(len(actions), index, loc))
        return Instance(tuple(actions), good)

    def _action(self, number: int, rank: int, index: int) -> Action:
        event = self._graph.events[number]
        id = self._ids[number]
        reads, writes = self._graph.source[number] != NO_SOURCE, id in self._writes
        return Action(
            id=id,
            thread=rank,
            index=index,
            access=event.access,
            location=self._location(event.loc) if reads or writes else NOWHERE,
            reads=reads,
            writes=writes,
            after=self._after(event.joins),
            name=event.where,
        )

    def _after(self, joined: int) -> tuple[int, ...]:
        end = self._ends.get(self._rank[joined]) if joined != NOTHING else None
        return () if end is None else (end,)

    def _observer(self, id: int, index: int, loc: LocationId) -> Action:
        """A read by a thread of its own, which waits for all others, of what is left at a location."""
        ends = tuple(self._ends.values())
        return Action(id, len(self._lines), index, Access.BARRIER, self._location(loc), reads=True, after=ends)

    def _location(self, loc: LocationId) -> int:
        return self._locations.setdefault(loc, len(self._locations))

    def coherence(self, witness: Witness, model: MemoryModel) -> Coherence:
        """The order in which a witness writes."""
        found: dict[LocationId, tuple[int, ...]] = {}
        actions = self.instance().actions
        for move in witness:
            number = self._writes.get(move.action)
            if number is not None and move.commit == is_buffered(actions[move.action], model):
                loc = self._graph.events[number].loc
                found[loc] = (*found.get(loc, ()), number)
        return found
