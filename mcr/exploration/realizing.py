"""From thread events, and whom each read may read from, to a schedule of the machine that shows it, if there is one.

Instances of [bui-2021] section 4, (X, RF), and of [agarwal-2021] section 4, (X, GoodW), and what VerifySC, VerifyTSO
and VerifyPSO say of them.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcr.consistency.instance import INITIAL, NOWHERE, Instance, InstanceAction, SearchOptions, Witness
from mcr.consistency.verify import realize
from mcr.executions.equivalence import OperationId
from mcr.exploration.events import ThreadEvent, waits_for
from replay.machine.machine import Choice, make_choice
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import SCHEDULING, Kind

Sources = Collection[OperationId | None]
"""Writes, None for the initial one."""

_same_action = functools.lru_cache(1 << 12)(InstanceAction)
"""To find an action costs less than to make it, and instances that share a prefix share its actions."""


@dataclass(frozen=True)
class Wanted:
    """The requirements on a schedule.

    events  what is executed: a lower set of program order, in any order that respects it
    good    by read: the writes that it may read from
    last    by location: the writes one of which is the last one in memory; those left out may end with any
    """

    events: Sequence[ThreadEvent]
    good: Mapping[OperationId, Sources]
    last: Mapping[LocationId, Sources] = field(default_factory=dict)


def realized(
    wanted: Wanted, unfolding: Unfolding, model: MemoryModel, how: SearchOptions, *, guided: bool = False
) -> list[Choice] | None:
    """Choices that execute the events, every store committed; None if there are none.

    `guided` tells the search to try the order of the events first ([agarwal-2021] section 4.2, heuristic 3).
    """
    instance = _Reading(wanted, unfolding).instance()
    if guided:
        how = replace(how, guide=tuple(range(len(instance.actions))))
    found = realize(instance, model, how).witness
    return None if found is None else _schedule(found, wanted.events)


def _schedule(found: Witness, events: Sequence[ThreadEvent]) -> list[Choice]:
    """A witness as choices; the ends of threads are none, and nor is a look at what is left in memory."""
    choices: list[Choice] = []
    for move in found:
        if move.action < len(events):
            event = events[move.action]
            thread = event.state.thread
            choices.append(
                make_choice(thread, event.loc) if move.commit else make_choice(thread, NOTHING, event.chosen)
            )
    return choices


class _Reading:
    """From events to an instance.

    Action i is event i. A start waits for its spawn; the end of each thread that somebody waits for becomes one more
    action, a fence. A lock is an update and an unlock a write that is not buffered ([bui-2021] remark 1), as both are
    barriers. What has to be last in memory is read by a thread of its own when all others are over.
    """

    def __init__(self, wanted: Wanted, unfolding: Unfolding) -> None:
        self._wanted = wanted
        self._events = wanted.events
        self._unfolding = unfolding
        self._ids = {event.place: id for id, event in enumerate(self._events)}
        self._lengths: dict[int, int] = {}
        for thread, depth in self._ids:
            self._lengths[thread] = max(self._lengths.get(thread, 0), depth + 1)
        self._ends: dict[int, InstanceAction] = {}
        self._spawns = {
            unfolding.child_of_spawn(event.state).index: id
            for id, event in enumerate(self._events)
            if event.kind is Kind.SPAWN
        }

    def instance(self) -> Instance:
        actions = [self._action(id, event) for id, event in enumerate(self._events)]
        good = {id: self._named(self._wanted.good[event.place]) for id, event in enumerate(self._events) if event.reads}
        looks = self._looks()
        actions += self._ends.values()
        for look, sources in zip(looks, self._wanted.last.values(), strict=True):
            good[len(actions)] = self._named(sources)
            actions.append(replace(look, id=len(actions)))
        return Instance(tuple(actions), good)

    def _named(self, sources: Sources) -> tuple[int, ...]:
        return tuple(sorted(INITIAL if source is None else self._ids[source] for source in sources))

    def _looks(self) -> list[InstanceAction]:
        """Reads of what is left in memory when every thread is over."""
        if not self._wanted.last:
            return []
        ends = tuple(self._end(thread) for thread in sorted(self._lengths))
        observer = len(self._unfolding.threads)
        return [
            InstanceAction(NOWHERE, observer, index, Access.LOAD, loc, reads=True, after=ends)
            for index, loc in enumerate(self._wanted.last)
        ]

    def _action(self, id: int, event: ThreadEvent) -> InstanceAction:
        operation = event.state.asked
        reads, writes = event.reads, event.writes
        location = event.loc if reads or writes else NOWHERE
        thread, depth = event.place
        return _same_action(
            id, thread, depth, operation.access, location, reads, writes, self._after(event), operation.where
        )

    def _after(self, event: ThreadEvent) -> tuple[int, ...]:
        if event.kind not in SCHEDULING:
            return ()
        if event.kind is Kind.START:
            return (self._spawns[event.state.thread],)
        return tuple(self._end(thread) for thread in waits_for(self._unfolding, event.state) if thread in self._lengths)

    def _end(self, thread: int) -> int:
        if thread not in self._ends:
            id = len(self._events) + len(self._ends)
            self._ends[thread] = InstanceAction(id, thread, self._lengths[thread], Access.BARRIER)
        return self._ends[thread].id
