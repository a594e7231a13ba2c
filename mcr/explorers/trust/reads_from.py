"""TruSt for the reads-from equivalence: Algorithm 2 of [kokologiannakis-2022], section 4.2.

Graphs differ in who reads from whom. Each has a co all the same, one of those
under which it is consistent: what that allows needs no search, and where it
stands in the way of a read or an update, another one is looked for.
Deviation: line 16 asks for a co of a graph that still has the revisited read.
Where that read has several writes to choose from, each choice may then count
as the maximal one, and a graph is visited again (docs/algorithms.md has the
least program). Here the read is left out: what the graph before the revisit
and the one after it share decides alone. `as_printed` keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product

from mcr.exploration.context import ExplorationContext
from mcr.exploration.verdict import Statistics
from mcr.explorers.trust.coherence import CoherenceSearch, Last
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Trust, deleted
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Coherence, ExecutionGraph, Numbers
from mcr.explorers.trust.schedule import read_by_waits
from replay.machine.state import LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


class TrustReadsFrom(Trust):
    """Visits the execution graphs of a program, those that differ in co only as one.

    search  finds co
    """

    def __init__(
        self,
        unfolding: Unfolding,
        model: MemoryModel,
        *,
        all_endings: bool = False,
        as_printed: bool = False,
        deadlocks: bool = False,
        statistics: Statistics | None = None,
    ) -> None:
        """
        all_endings  whether full graphs are told apart by what is in memory at the end, too
        as_printed   whether line 16 keeps the revisited read
        deadlocks    whether they are failures
        statistics   where questions for a co are counted
        """
        super().__init__(unfolding, model, deadlocks=deadlocks)
        self.search = CoherenceSearch(unfolding, model, statistics)
        self._all_endings = all_endings
        self._as_printed = as_printed

    # -- graphs without co ---------------------------------------------------

    def _sources(self, graph: ExecutionGraph, number: int) -> list[int]:
        event = graph.events[number]
        candidates = [INITIAL, *graph.co.get(event.loc, ())]
        return [source for source in candidates if self._may_read(graph, number, source)]

    def _may_read(self, graph: ExecutionGraph, number: int, source: int) -> bool:
        if super()._may_read(graph, number, source):
            return True
        waits_for_start = source == INITIAL and graph.events[number].starts
        return not waits_for_start and self._co_for(graph, number, source) is not None

    def _set_source(self, graph: ExecutionGraph, number: int, source: int) -> None:
        if not super()._may_read(graph, number, source):
            co = self._co_for(graph, number, source)
            assert co is not None
            graph.reorder(co)
        super()._set_source(graph, number, source)

    def _co_for(self, graph: ExecutionGraph, number: int, source: int) -> Coherence | None:
        """A co under which a read without a source has this one."""
        graph.source[number] = source
        co = self.search.of_graph(graph)
        graph.source[number] = NO_SOURCE
        return co

    def _places(self, graph: ExecutionGraph, number: int) -> list[int]:
        """One place at most: VISITCOS has nothing to choose."""
        places = graph.places(number)[-1:]
        if places or graph.is_taken(number):
            return places
        co = self.search.of_graph(graph)
        if co is None:
            return []
        order = co[graph.events[number].loc]
        place = order.index(number)
        graph.reorder({**co, graph.events[number].loc: order[:place] + order[place + 1 :]})
        return [place]

    # -- revisits ------------------------------------------------------------

    def _may_revisit(self, graph: ExecutionGraph, reader: int, kept: Numbers, porf: Numbers) -> bool:
        concerned = [reader, *deleted(graph, kept)]
        if any(graph.was_revisited(number, porf) for number in concerned):
            return False
        left = kept & ~(1 << len(graph.events) - 1)
        if not self._as_printed:
            left &= ~(1 << reader)
        co = _appended(graph, left, graph.co)
        doubtful: list[int] = []
        for number in concerned:
            if _depends_on_co(graph, number, left):
                doubtful.append(number)
            elif not graph.is_latest(number, porf, co):
                return False
        if not doubtful:
            return True
        co = _appended(graph, left, self.search.of_part(graph, left))
        return all(graph.is_latest(number, porf, co) for number in doubtful)

    # -- full graphs ---------------------------------------------------------

    def executions(self, full: ExecutionGraph) -> Iterator[ExecutionGraph]:
        """A full graph as an execution, if it is one; with every ending that there is, if all are asked for.

        Threads that are blocked wait for what never comes: what they read from is the last write of its location. Who
        wrote it, where several might have, belongs to no class: the first graph that says so stands for all.
        """
        awaited = _awaited(full)
        if awaited is None:
            return
        if self._all_endings:
            contested = {loc: self._may_be_last(full, loc) for loc in full.co}
            choices = {loc: writes for loc, writes in contested.items() if len(writes) > 1}
            choices.update({loc: [write] for loc, write in awaited.items()})
            yield from (ending for _, ending in self._endings(full, choices)) if choices else (full,)
        elif not awaited:
            yield full
        else:
            endings = self._endings(full, {loc: self._blocking(full, loc) for loc in awaited})
            yield from (ending for last, ending in islice(endings, 1) if last == awaited)

    def _waiting(self, full: ExecutionGraph) -> Iterator[ExecutionGraph]:
        """With an ending that leaves in memory what those have read who wait, if there is one."""
        awaited = _awaited(full)
        if awaited is None:
            return
        read = dict[LocationId, ValueId]()
        if any(read.setdefault(loc, value) != value for loc, value in read_by_waits(full, self._unfolding)):
            return
        if not read:
            yield from self.executions(full)
            return
        choices = {
            loc: [write for write in self._may_be_last(full, loc) if self._stored(full, loc, write) == value]
            for loc, value in read.items()
        }
        choices.update({loc: [write] for loc, write in awaited.items()})
        yield from (ending for _, ending in islice(self._endings(full, choices), 1))

    def _endings(
        self, full: ExecutionGraph, choices: Mapping[LocationId, Sequence[int]]
    ) -> Iterator[tuple[Last, ExecutionGraph]]:
        """A full graph with every ending in which one of these writes comes last at each of these locations.

        In an order that depends on names alone. What blocks its thread is left out.
        """
        kept = (1 << len(full.events)) - 1
        for thread in full.blocked:
            kept &= ~(1 << full.lines[thread][-1])
        locations = sorted(choices, key=lambda loc: self._unfolding.locations[loc].name)
        for writes in product(*(choices[loc] for loc in locations)):
            last = dict(zip(locations, writes, strict=True))
            co = self.search.with_last(full, kept, last)
            if co is not None:
                ending = full.copy()
                ending.reorder(co)
                yield last, ending

    def _may_be_last(self, full: ExecutionGraph, loc: LocationId) -> list[int]:
        """The last writes of each thread to a location, in the order of the threads' names."""
        latest = {full.events[write].thread: write for write in sorted(full.co.get(loc, ()), key=_position(full))}
        return [latest[thread] for thread in self.search.threads(full) if thread in latest] or [INITIAL]

    def _blocking(self, full: ExecutionGraph, loc: LocationId) -> list[int]:
        """Returns those last writes with which every thread waits that is blocked at the location."""
        waiting = [full.events[full.lines[thread][-1]] for thread in full.blocked]
        waiting = [event for event in waiting if event.loc == loc]
        return [
            write
            for write in self._may_be_last(full, loc)
            if not any(self._unfolding.accepts(event.state, self._stored(full, loc, write)) for event in waiting)
        ]

    def _stored(self, full: ExecutionGraph, loc: LocationId, write: int) -> ValueId:
        return self._unfolding.initial[loc] if write == INITIAL else full.events[write].value


def _position(graph: ExecutionGraph) -> Callable[[int], int]:
    return lambda number: graph.events[number].position


def _appended(graph: ExecutionGraph, left: Numbers, co: Coherence) -> Coherence:
    """Line 16: a co of what is left, and after it the deleted writes in the order in which they were added."""
    return {
        loc: (
            *(write for write in co.get(loc, ()) if left >> write & 1),
            *sorted(write for write in order if not left >> write & 1),
        )
        for loc, order in graph.co.items()
    }


def _depends_on_co(graph: ExecutionGraph, number: int, left: Numbers) -> bool:
    """Returns whether an event reads from one of several writes that are left."""
    source = graph.source[number]
    if source < 0 or not left >> source & 1:
        return False
    return sum(left >> write & 1 for write in graph.co[graph.events[number].loc]) > 1


def _awaited(full: ExecutionGraph) -> dict[LocationId, int] | None:
    """Returns the events from which blocked threads read, by location; None if they do not agree."""
    found: dict[LocationId, int] = {}
    for thread in full.blocked:
        number = full.lines[thread][-1]
        if found.setdefault(full.events[number].loc, full.source[number]) != full.source[number]:
            return None
    return found


class ExploreReadsFrom(ExploreGraphs):
    """Visits the graphs of a program that differ in who reads from whom, and what that may leave in memory."""

    name = "trust-rf"

    def __init__(self, context: ExplorationContext, variant: str = "") -> None:
        """The variant "paper" does line 16 as printed."""
        self._as_printed = variant == "paper"
        super().__init__(context)

    def _trust_on(self, unfolding: Unfolding, statistics: Statistics) -> TrustReadsFrom:
        """Makes the algorithm; where the final function matters, so does the last write of each location."""
        context = self._context
        return TrustReadsFrom(
            unfolding,
            context.model,
            all_endings=unfolding.final is not None and context.goals.decides_final,
            as_printed=self._as_printed,
            deadlocks=context.goals.deadlocks or context.goals.allowed,
            statistics=statistics,
        )

    def _figures(self) -> tuple[tuple[str, int], ...]:
        assert isinstance(self.trust, TrustReadsFrom)
        return (
            ("checks decided by writes-before", self.trust.search.by_wb),
            ("graphs of a class seen before", self.survey.repeated),
        )
