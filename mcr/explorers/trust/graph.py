"""Execution graphs that grow by an event at a time and are consistent at every moment (docs/semantics.md 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from mcr.explorers.trust.label import EventLabel
from replay.machine.state import NOTHING, LocationId, State

INITIAL = -1
"""Stands for the initial value where the number of a write is expected."""

NO_SOURCE = -2

Numbers = int
"""A set of events, by number, as a bit set."""

Coherence = Mapping[LocationId, tuple[int, ...]]
"""By location its writes, or some of them, in coherence order."""


class ExecutionGraph:
    """Events in the order in which they were added, with rf and co.

    An event is known by its number: its place in the order of addition. The
    two events of an update have one moment, as nothing comes between them in
    co.

    events   by number their labels
    source   by number: whom a read reads from, INITIAL, or NO_SOURCE
    readers  by number: the events that read from it
    before   by number: the events whose moment is earlier (ppo, rf, co, fr; transitive)
    porf     by number: the events that it depends on by po and rf, itself included
    lines    by thread: numbers of its events in program order
    ends     by thread: its local state
    co       by location: its writes in coherence order
    initial  by location: the events that read the initial value
    pending  threads that are between the read and the write of an update
    blocked  threads whose last event read a value for which it has to wait
    """

    depth_first: ClassVar[bool] = True
    """As work of an exploration: little waits if what comes of a graph is visited before other graphs."""

    __slots__ = (
        "before", "blocked", "co", "ends", "events", "initial", "lines", "pending", "porf", "readers", "source",
    )  # fmt: skip

    def __init__(self, roots: list[State]) -> None:
        self.events: list[EventLabel] = []
        self.source: list[int] = []
        self.readers: list[Numbers] = []
        self.before: list[Numbers] = []
        self.porf: list[Numbers] = []
        self.lines: list[tuple[int, ...]] = [()] * len(roots)
        self.ends = roots
        self.co: dict[LocationId, tuple[int, ...]] = {}
        self.initial: dict[LocationId, Numbers] = {}
        self.pending: tuple[int, ...] = ()
        self.blocked: tuple[int, ...] = ()

    def copy(self) -> ExecutionGraph:
        twin: ExecutionGraph = object.__new__(ExecutionGraph)
        twin.events = self.events[:]
        twin.source = self.source[:]
        twin.readers = self.readers[:]
        twin.before = self.before[:]
        twin.porf = self.porf[:]
        twin.lines = self.lines[:]
        twin.ends = self.ends[:]
        twin.co = self.co.copy()
        twin.initial = self.initial.copy()
        twin.pending = self.pending
        twin.blocked = self.blocked
        return twin

    # -- events --------------------------------------------------------------

    def add(self, event: EventLabel) -> int:
        """Add an event at the end of its thread, not yet part of rf and co; returns its number."""
        number = len(self.events)
        self.events.append(event)
        self.source.append(NO_SOURCE)
        self.readers.append(0)
        self.before.append(self._preceding(event))
        self.porf.append(self._depending(number, event))
        self.lines[event.thread] = (*self.lines[event.thread], number)
        return number

    def _preceding(self, event: EventLabel) -> Numbers:
        """Returns the events before an event whatever it reads: by ppo, or because a thread is joined."""
        before = self.before
        line = self.lines[event.thread]
        found = 0
        for position in event.ppo:
            number = line[position]
            found |= before[number] | 1 << number
        if event.joins != NOTHING:
            for number in self.lines[event.joins]:
                found |= before[number] | 1 << number
        return found

    def _depending(self, number: int, event: EventLabel) -> Numbers:
        """Returns the events on which an event depends whatever it reads, itself included."""
        found = 1 << number
        if event.position:
            found |= self.porf[self.lines[event.thread][event.position - 1]]
        if event.joins != NOTHING and self.lines[event.joins]:
            found |= self.porf[self.lines[event.joins][-1]]
        return found

    # -- rf ------------------------------------------------------------------

    def sources(self, number: int) -> list[int]:
        """Returns the events from which a read without a source may read, in coherence order."""
        found: list[int] = []
        event = self.events[number]
        order = self.co.get(event.loc, ())
        before = self.before[number]
        own = [self.lines[event.thread][position] for position in event.stores]
        if not own and not event.starts and not (order and before >> order[0] & 1):
            found.append(INITIAL)
        first = max(map(order.index, own), default=0)
        for place, source in enumerate(order[first:], first + 1):
            if self.events[source].thread == event.thread:
                if source != own[0]:
                    continue
                earlier = before
            else:
                earlier = before | self.before[source]
            if place == len(order) or not earlier >> order[place] & 1:
                found.append(source)
        return found

    def read(self, number: int, source: int) -> None:
        """Let a read have a source that it may have under the present co."""
        event = self.events[number]
        self.source[number] = source
        order = self.co.get(event.loc, ())
        following = 0
        if source == INITIAL:
            self.initial[event.loc] = self.initial.get(event.loc, 0) | 1 << number
        else:
            following = order.index(source) + 1
            self.readers[source] |= 1 << number
            self.porf[number] |= self.porf[source]
            if self.events[source].thread != event.thread:
                self.before[number] |= self.before[source] | 1 << source
        if following < len(order):
            self._precede(number, order[following])

    # -- co ------------------------------------------------------------------

    def places(self, number: int) -> list[int]:
        """Returns the places in co for a write that is not there yet."""
        event = self.events[number]
        order = self.co.get(event.loc, ())
        candidates = (self._place_of_update(event, order),) if event.updates else range(len(order) + 1)
        return [place for place in candidates if place == len(order) or self._may_precede(number, order[place])]

    def write(self, number: int, place: int) -> None:
        """Put a write to a place in co where it may be."""
        loc = self.events[number].loc
        order = self.co.get(loc, ())
        self.before[number] = self._before_write(number, order, place)
        self.co[loc] = (*order[:place], number, *order[place:])
        if place < len(order):
            self._precede(number, order[place])

    def is_taken(self, number: int) -> bool:
        """Returns whether another update has the place of a new one, as it does under any co: next to their source."""
        event = self.events[number]
        order = self.co.get(event.loc, ())
        place = self._place_of_update(event, order)
        return place < len(order) and self.events[order[place]].updates

    def _place_of_update(self, event: EventLabel, order: tuple[int, ...]) -> int:
        source = self.source[self.lines[event.thread][event.position - 1]]
        return 0 if source == INITIAL else order.index(source) + 1

    def _may_precede(self, number: int, following: int) -> bool:
        """Returns whether a new write may be right before another one in co; an update is next to its source."""
        return not (self.before[number] >> following & 1 or self.events[following].updates)

    def _before_write(self, number: int, order: tuple[int, ...], place: int) -> Numbers:
        """Returns the events before a write at some place in co."""
        before = self.before
        found = before[number]
        if place:
            previous = order[place - 1]
            found |= before[previous] | 1 << previous
            readers = self.readers[previous]
        else:
            readers = self.initial.get(self.events[number].loc, 0)
        found |= readers
        while readers:
            lowest = readers & -readers
            readers ^= lowest
            found |= before[lowest.bit_length() - 1]
        return found

    def _precede(self, number: int, following: int) -> None:
        """Let an event whose predecessors are known be before another one, and before all after that."""
        before = self.before
        mask = before[number] | 1 << number
        before[following] |= mask
        bit = 1 << following
        for other, earlier in enumerate(before):
            if earlier & bit:
                before[other] = earlier | mask

    # -- parts ---------------------------------------------------------------

    def is_maximal(self, number: int, porf: Numbers, co: Coherence) -> bool:
        """Returns whether an event was added maximally before one whose porf is given (ISMAXIMALLYADDED)."""
        return not self.was_revisited(number, porf) and self.is_latest(number, porf, co)

    def was_revisited(self, number: int, porf: Numbers) -> bool:
        """Returns whether an event took part in a revisit that an event with this porf does not see (the first
        half)."""
        previous = (1 << number + 1) - 1 | porf
        source = self.source[number]
        return bool(self.readers[number] & previous) or (source >= 0 and not previous >> source & 1)

    def is_latest(self, number: int, porf: Numbers, co: Coherence) -> bool:
        """Returns whether an event was the last in co, or read from it, when it was added (the other half)."""
        event = self.events[number]
        if event.value != NOTHING:
            latest = number
        elif event.reads:
            latest = self.source[number]
        else:
            return event.chosen == NOTHING or event.chosen == event.state.inputs[0]
        previous = (1 << number + 1) - 1 | porf
        for write in reversed(co.get(event.loc, ())):
            if write == latest:
                return True
            if previous >> write & 1:
                return False
        return True

    def revisited(self, reader: int, kept: Numbers) -> tuple[ExecutionGraph, int]:
        """The events of `kept` alone, and `reader` without a source; with its new number.

        What they depend on by po and rf, the source of `reader` left out, belongs to them.
        """
        graph = self.restricted(kept, reader)
        event = self.events[reader]
        graph.ends[event.thread] = event.state
        graph.pending = tuple(other for other in graph.pending if other != event.thread)
        graph.blocked = tuple(other for other in graph.blocked if other != event.thread)
        return graph, (kept & (1 << reader) - 1).bit_count()

    def restricted(self, kept: Numbers, reader: int = NO_SOURCE) -> ExecutionGraph:
        """The events of `kept` alone, `reader` without its source.

        They are closed under po and rf, but for that source. The latest may be a write without a place in co.
        """
        numbers = [number for number in range(len(self.events)) if kept >> number & 1]
        new = {old: number for number, old in enumerate(numbers)}
        new[INITIAL], new[NO_SOURCE] = INITIAL, NO_SOURCE
        graph: ExecutionGraph = object.__new__(ExecutionGraph)
        graph.events = [self.events[old] for old in numbers]
        graph.source = [NO_SOURCE if old == reader else new[self.source[old]] for old in numbers]
        graph.know_readers()
        left = {loc: tuple(new[old] for old in order if kept >> old & 1) for loc, order in self.co.items()}
        graph.co = {loc: order for loc, order in left.items() if order}
        graph.lines = [tuple(new[old] for old in line if kept >> old & 1) for line in self.lines]
        graph.ends = self.ends[:]
        graph.pending, graph.blocked = (), ()
        for thread, line in enumerate(self.lines):
            graph._end(thread, self, line[len(graph.lines[thread]) :])
        first_left_out = (~kept & kept + 1).bit_length() - 1
        graph._close(numbers, self, first_left_out if reader == NO_SOURCE else min(first_left_out, reader))
        return graph

    def know_readers(self) -> None:
        """Find out, from the sources, who reads from whom."""
        self.readers = [0] * len(self.events)
        self.initial = {}
        for number, source in enumerate(self.source):
            if source >= 0:
                self.readers[source] |= 1 << number
            elif source == INITIAL:
                loc = self.events[number].loc
                self.initial[loc] = self.initial.get(loc, 0) | 1 << number

    def _end(self, thread: int, whole: ExecutionGraph, cut: tuple[int, ...]) -> None:
        """Find out where a thread is after some of its last events were cut."""
        if not cut:
            if thread in whole.pending:
                self.pending = (*self.pending, thread)
            if thread in whole.blocked:
                self.blocked = (*self.blocked, thread)
            return
        first = whole.events[cut[0]]
        if first.updates and first.value != NOTHING:
            assert first.after is not None
            self.ends[thread] = first.after
            self.pending = (*self.pending, thread)
        else:
            self.ends[thread] = first.state

    def _close(self, numbers: list[int], whole: ExecutionGraph, intact: int) -> None:
        """Compute what is before each event, and its porf.

        The whole graph tells in which order: what is before an event, or what it depends on, is a larger set than the
        same of those in it. It also tells what stays as it is: sets of events numbered below `intact`, all of which
        are kept with their sources.
        """
        events = self.events
        self.before = [whole.before[old] for old in numbers]
        self.porf = [whole.porf[old] for old in numbers]
        places = self._all_places()
        changed = [number for number, earlier in enumerate(self.before) if earlier >> intact or number == intact]
        for number in sorted(changed, key=lambda number: self.before[number].bit_count()):
            self._find_before(number, places)
        changed = [number for number, needed in enumerate(self.porf) if needed >> intact]
        for number in sorted(changed, key=lambda number: self.porf[number].bit_count()):
            self.porf[number] = self._depending(number, events[number])
            if self.source[number] >= 0:
                self.porf[number] |= self.porf[self.source[number]]

    def reorder(self, co: Coherence) -> None:
        """Put the writes into another order that they may have with these sources."""
        self.co = dict(co)
        self.before = [0] * len(self.events)
        places = self._all_places()
        known: list[Numbers] = []
        while known != self.before:
            known = self.before[:]
            for number in range(len(self.events)):
                self._find_before(number, places)

    def _all_places(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """By write: co of its location, and its place there."""
        return {number: (order, place) for order in self.co.values() for place, number in enumerate(order)}

    def _find_before(self, number: int, places: Mapping[int, tuple[tuple[int, ...], int]]) -> None:
        """Compute what is before an event from what is before those right before it."""
        event = self.events[number]
        self.before[number] = self._preceding(event)
        source = self.source[number]
        if source >= 0 and self.events[source].thread != event.thread:
            self.before[number] |= self.before[source] | 1 << source
        if number in places:
            self.before[number] = self._before_write(number, *places[number])
