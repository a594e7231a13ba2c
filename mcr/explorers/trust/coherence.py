"""A coherence order for a graph that records none: GetConsCO of [kokologiannakis-2022] section 4.2.

The writes-before relation wb says which writes every co orders in the same way,
but under SC, TSO and PSO not whether there is a co (docs/algorithms.md has the
least program). So it comes first, and what it leaves open is decided by the
procedures of `mcr.consistency`. The answer depends on the events and their
sources alone, not on how they were found, as the algorithm needs: events are
named by thread and program order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mcr.consistency.instance import INITIAL as INITIAL_VALUE
from mcr.consistency.instance import NOWHERE, Action, Instance, SearchOptions, Witness, is_buffered
from mcr.consistency.verify import realize
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Coherence, Graph, Numbers
from mcr.explorers.trust.thread_order import ThreadOrder
from mcr.explorers.trust.writes_before import WritesBefore
from replay.errors import InternalError
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel

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
        """Somebody who waits for all threads, and then looks at a location."""
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
