"""The mutations that a trace offers (lines 5 to 16 of algorithm 3, and remark 1).

Deviations, for updates and locks, which the paper's experiments leave out (docs/algorithms.md, "RF-SMC", has the
programs that need them). (1) An update is one event. (2) Line 11 admits writes of the extension only; an update that
was mutated writes something that nobody could read before, so it is admitted too. (3) What waits for a lock, or to be
woken, is no read that may have any source: it is mutated by giving its turn to another update (`UnmarkedRead`).

Why it is complete with updates: take a class in which the read r, the first that differs, reads from w, and the least
set X of events that shows it. If w comes before r in tau, it offers itself. Else X is consistent without r as well,
and w is last in its thread there. If w is a store it can be the last in memory, and r can read whatever is there
before: a class with fewer events before r's source, in which w offers itself as a mutation. The same holds for an
update w, unless it must come right after the write that r would then read, and r would write. Then w reads from r
instead, which remark 1 reverses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from mcr.executions.equivalence import OperationId
from mcr.exploration.events import Counts, GrowingTrace, ThreadEvent, contains, is_guarded, union
from replay.errors import ModelError
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind
from replay.world.values import ValueId

Name = tuple[str, int, str, int, int]
"""An event by thread and depth, with those of its source ("" and -1 for none), and which input it chooses (or -1)."""

Key = tuple[Name, ...]
"""Names (tau', RF') among the schedules of one prefix: what comes after the prefix."""


@dataclass(frozen=True, eq=False, slots=True)
class UnmarkedRead:
    """An unmarked read, and schedules(pre(r)).

    For a read, and for an input to choose, the prefix is what comes before it, whatever it is made to read. For an
    update that had to wait for its turn (`is_turn`), what may be mutated is who comes next after a write: `occupant`
    did here, and the one whose turn it was when this was noted is not part of the prefix.

    base       how many events the prefix has
    occupant   the read; for a turn, who has it
    is_turn    whether others may take the place of the occupant
    schedules  what was scheduled for the prefix; one set for all calls that share the prefix
    """

    base: int
    occupant: OperationId
    is_turn: bool = False
    schedules: set[Key] = field(default_factory=set)

    def given(self, occupant: OperationId) -> UnmarkedRead:
        """Returns a copy in which another operation has its turn."""
        return replace(self, occupant=occupant)


@dataclass(frozen=True, slots=True, eq=False)
class RfSmcCall:
    """RF-SMC(tau, RF, sigma, mrk).

    tau    the thread events, by name
    sigma  a schedule that executes them, and shows RF
    slots  the reads of tau that are not marked, in the order of their prefixes
    fresh  the events of tau that were mutated to make it
    """

    tau: tuple[OperationId, ...] = ()
    sigma: tuple[Choice, ...] = ()
    slots: tuple[UnmarkedRead, ...] = ()
    fresh: frozenset[OperationId] = frozenset()
    depth_first: ClassVar[bool] = True


@dataclass(frozen=True)
class Mutation:
    """(tau', RF'), and what is new about it.

    slot   the read that was mutated, or whose turn it is now
    fresh  the events that were mutated
    """

    events: tuple[ThreadEvent, ...]
    slot: UnmarkedRead
    fresh: frozenset[OperationId]

    @property
    def later(self) -> Sequence[ThreadEvent]:
        """The events after the prefix."""
        return self.events[self.slot.base :]


def named(event: ThreadEvent, unfolding: Unfolding) -> Name:
    """Returns what identifies an event among those that may come after a prefix, in the same way everywhere."""
    (thread, depth), inputs = event.place, event.state.inputs
    source, place = ("", -1) if event.source is None else (unfolding.thread_name(event.source[0]), event.source[1])
    return unfolding.thread_name(thread), depth, source, place, inputs.index(event.chosen) if inputs else -1


class Mutations:
    """The mutations of one trace."""

    def __init__(
        self, trace: GrowingTrace, fresh: Collection[OperationId], first: int, *, as_printed: bool = False
    ) -> None:
        """
        fresh       the events that were mutated to make the trace
        first       how many of its events are not part of the extension
        as_printed  whether updates and locks get no more mutations than remark 1 says
        """
        self._trace = trace
        self._unfolding: Unfolding = trace.machine.unfolding
        self._extension = {event.place for event in trace.events[first:]}
        self._fresh = self._extension.union(fresh)
        self._accesses: dict[LocationId, list[ThreadEvent]] = {}
        for event in trace.events:
            if event.reads:
                self._unfolding.refuse_look_at_end(event.state)
            if event.reads or event.writes:
                self._accesses.setdefault(event.loc, []).append(event)
        self._as_printed = as_printed
        self._blocked = () if as_printed else trace.blocked()
        self._check_rivals()

    def _check_rivals(self) -> None:
        """Refuse a plain store to what an update waits for: deviation (3) takes only updates for its rivals."""
        guarded = {event.loc for event in self._trace.events if is_guarded(event.state)}
        guarded.update(state.loc for state in self._blocked)
        for event in self._trace.events if guarded else ():
            if event.kind is Kind.STORE and event.loc in guarded:
                operation = event.state.operation
                assert operation is not None
                raise ModelError(
                    f"rf-smc knows no plain store to what an update waits for, as '{operation.describe()}': "
                    "the algorithms auto, cover and trust do",
                    str(operation.source or ""),
                )

    def of(self, slot: UnmarkedRead) -> Iterator[Mutation]:
        """Yields the mutations of one slot."""
        event = self._trace[slot.occupant]
        if event.chosen != NOTHING:
            return self._choices(slot, event)
        if slot.is_turn:
            return self._turns(slot, event)
        return self._reads(slot, event)

    # -- inputs and reads ------------------------------------------------------

    def _choices(self, slot: UnmarkedRead, event: ThreadEvent) -> Iterator[Mutation]:
        """Another input."""
        if event.place in self._extension:
            for value in event.state.inputs:
                if value != event.chosen:
                    yield self._mutation(slot, [ThreadEvent(event.state, chosen=value)], {})

    def _reads(self, slot: UnmarkedRead, read: ThreadEvent) -> Iterator[Mutation]:
        """Lines 9 to 16: another write, and the updates that may change places with the read."""
        is_new = read.place in self._extension
        if is_new and read.source is not None:
            yield from self._reading(slot, read, None)
        for write in self._accesses.get(read.loc, ()):
            if write.writes and write.place != read.source and (is_new or write.place in self._fresh):
                yield from self._reading(slot, read, write)
        if read.writes:
            yield from self._reversals(slot, read)

    def _reading(self, slot: UnmarkedRead, read: ThreadEvent, write: ThreadEvent | None) -> Iterator[Mutation]:
        """The read reads from that write, if the write does not depend on it."""
        past = self._past_of(write)
        mutated = self._updated(read.state, write)
        if mutated is not None and not contains(past, read.place):
            yield self._mutation(slot, [mutated], past)

    def _reversals(self, slot: UnmarkedRead, read: ThreadEvent) -> Iterator[Mutation]:
        """Remark 1: an update that reads from the update `read` comes before it instead."""
        source = self._source(read)
        before = self._past_of(source)
        for state, past in self._rivals(slot, read):
            earlier = self._updated(state, source)
            if earlier is None or not earlier.writes or not self._comes_after(state, read):
                continue
            later = self._updated(read.state, earlier)
            if later is not None:
                yield self._mutation(slot, [later], union(past, before), earlier)

    def _comes_after(self, state: State, read: ThreadEvent) -> bool:
        """Returns whether the thread's operation in that state reads from `read`, or waits as long as `read` has
        its turn."""
        place = (state.thread, state.depth)
        reads = place in self._trace and self._trace[place].source == read.place
        return reads or (is_guarded(state) and not self._as_printed)

    # -- turns -----------------------------------------------------------------

    def _turns(self, slot: UnmarkedRead, occupant: ThreadEvent) -> Iterator[Mutation]:
        """Mutations in which another thread updates what the occupant updated."""
        source = self._source(occupant)
        for state, past in self._rivals(slot, occupant):
            update = self._updated(state, source)
            if update is not None and update.writes:
                yield self._mutation(slot.given(update.place), [], past, update)

    def _rivals(self, slot: UnmarkedRead, occupant: ThreadEvent) -> Iterator[tuple[State, Counts]]:
        """Updates of the same location after the prefix that are new here or wait in vain, if they can do without the
        occupant. With the past of what their thread did before.
        """
        is_new = occupant.place in self._extension
        after = {event.place for event in self._trace.events[slot.base :]}
        executed = (
            event.state
            for event in self._accesses[occupant.loc]
            if event.kind is Kind.UPDATE and event.place in after and (is_new or event.place in self._fresh)
        )
        waiting = (state for state in self._blocked if state.loc == occupant.loc)
        for state in (*executed, *waiting):
            if state.thread != occupant.state.thread:
                past = self._trace.past(state.thread, state.depth)
                if not contains(past, occupant.place):
                    yield state, past

    # -- events ----------------------------------------------------------------

    def _source(self, read: ThreadEvent) -> ThreadEvent | None:
        return None if read.source is None else self._trace[read.source]

    def _past_of(self, write: ThreadEvent | None) -> Counts:
        return {} if write is None else self._trace.past(write.state.thread, write.state.depth + 1)

    def _updated(self, state: State, source: ThreadEvent | None) -> ThreadEvent | None:
        """Returns the thread's update in that state if it reads from `source`; None if it waits for another value."""
        value: ValueId = self._unfolding.initial[state.loc] if source is None else source.wrote
        if not self._unfolding.accepts(state, value):
            return None
        place = None if source is None else source.place
        return ThreadEvent(state, place, self._unfolding.would_write(state, value))

    def _mutation(
        self, slot: UnmarkedRead, mutated: list[ThreadEvent], past: Counts, last: ThreadEvent | None = None
    ) -> Mutation:
        """The prefix, what is mutated, what that depends on, in the order of the trace, and perhaps an update."""
        events = self._trace.events
        begin = slot.base + len(mutated)
        causes_after = [event for event in events[begin:] if contains(past, event.place)]
        news = [*mutated, last] if last and not self._as_printed else mutated
        return Mutation(
            (*events[: slot.base], *mutated, *causes_after, *([last] if last else ())),
            slot,
            frozenset(event.place for event in news),
        )
