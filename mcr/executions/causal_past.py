"""The causal pasts of one execution's events (docs/semantics.md 5).

Events are numbered in the order of their moments: a load or barrier when it
executes, a store when it commits, the end of a thread when its last store is
in memory. A set of events is a Python integer used as a bit set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcr.executions.equivalence import MaximalExecution, OperationId
from replay.code.terminals import Ended
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.values import ValueId

Events = int
"""A set of events, by number."""


class Write(NamedTuple):
    """An event that put a value into memory; `past` is what it depends on, itself included."""

    number: int
    place: OperationId
    value: ValueId
    past: Events


class Read(NamedTuple):
    """An operation whose result could have been another.

    past    what happened before it in its thread, with all that that depends on
    own     the latest earlier store of its own thread to the location, if there is one
    source  whom it reads from; None for the initial value, and for a choice
    """

    state: State
    past: Events
    own: PendingStore | None = None
    source: OperationId | None = None


@dataclass(slots=True, eq=False)
class PendingStore:
    """A store on its way to memory.

    where    the name of its location
    before   what it depends on, but for earlier stores
    write    its event; None while it is in the buffer
    """

    loc: LocationId
    where: str
    place: OperationId
    value: ValueId
    before: Events
    epoch: int
    write: Write | None = None


class Causality:
    """One execution: its events with their causal pasts, without the final function.

    ends     by thread its last local state
    ways     by thread its steps
    reads    operations that could have had another result
    writes   by location, in coherence order
    written  by location, the events of `writes`
    ran      by event, the thread and how many operations it had executed at least
    after    [t][d]: events of thread t's operations from depth d on
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> None:
        """`choices` lead along known local states."""
        self.choices = choices
        self.ends = [info.root for info in unfolding.threads]
        self.ways: list[list[Edge]] = [[] for _ in self.ends]
        self.reads: list[Read] = []
        self.writes: dict[LocationId, list[Write]] = {}
        self.written: dict[LocationId, Events] = {}
        self.ran: list[tuple[int, int]] = []
        self._unfolding = unfolding
        self._keeps = model.keeps
        self._is_buffered = model.is_buffered
        self._epoch = [0] * len(self.ends)
        self._executed: list[Events] = [0] * len(self.ends)
        self._stores: list[list[PendingStore]] = [[] for _ in self.ends]
        self._commits: list[int] = []
        self._observe()
        self.after = self._suffixes()

    def execution(self) -> MaximalExecution:
        """The execution graph of the past."""
        final = self._unfolding.final.index if self._unfolding.final else NOTHING
        threads = {info.end for info in self._unfolding.threads}
        return MaximalExecution(
            ends=tuple(end for thread, end in enumerate(self.ends) if thread != final),
            sources={
                (read.state.thread, read.state.depth): read.source for read in self.reads if read.state.reads_memory
            },
            coherence={
                loc: [write.place for write in writes] for loc, writes in self.writes.items() if loc not in threads
            },
        )

    def kept(self, past: Events, goal: State) -> list[Choice]:
        """The choices that bring about the events of a past, and the goal's thread as far as the goal."""
        counts = [0] * len(self.ends)
        counts[goal.thread] = goal.depth
        rest = past
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            thread, count = self.ran[lowest.bit_length() - 1]
            counts[thread] = max(counts[thread], count)
        found: list[Choice] = []
        done = [0] * len(counts)
        for choice, event in zip(self.choices, self._commits, strict=False):
            if event != NOTHING:
                if past >> event & 1:
                    found.append(choice)
            elif done[choice.thread] < counts[choice.thread]:
                done[choice.thread] += 1
                found.append(choice)
        return found

    # -- events --------------------------------------------------------------

    def _observe(self) -> None:
        final = self._unfolding.final.index if self._unfolding.final else NOTHING
        for thread in range(len(self.ends)):
            self._end(thread)
        for thread, commit, chosen in self.choices:
            if thread == final:
                break
            if commit == NOTHING:
                self._commits.append(NOTHING)
                self._run(thread, chosen)
            else:
                self._commits.append(len(self.ran))
                self._commit(thread, commit)
            self._end(thread)

    def _run(self, thread: int, chosen: ValueId) -> None:
        state = self.ends[thread]
        assert state.operation is not None
        access, where = state.operation.access, state.operation.where
        if access is Access.STORE:
            place, before = (thread, state.depth), self._executed[thread]
            self._stores[thread].append(
                PendingStore(state.loc, where, place, state.stored, before, self._epoch[thread])
            )
            if not self._is_buffered(access):
                self._commit(thread, state.loc)
        elif access is Access.STORE_BARRIER:
            self._epoch[thread] += 1
        elif access is Access.LOCAL and not state.reads:
            self.reads.append(Read(state, self._executed[thread]))
        else:
            chosen = self._execute(thread, state, access, where)
        step = state.edges[chosen]
        self.ends[thread] = step.after
        self.ways[thread].append(step)

    def _execute(self, thread: int, state: State, access: Access, where: str) -> ValueId:
        """A load or barrier takes effect; returns what it reads."""
        past = self._executed[thread]
        own: PendingStore | None = None
        for store in self._stores[thread]:
            if self._keeps(Access.STORE, access, store.where, where):
                assert store.write is not None
                past |= store.write.past
            if store.loc == state.loc:
                own = store
        value = NOTHING
        if state.reads:
            latest = self._latest(state.loc)
            source = latest if own is None or own.write is not None else own
            value = self._unfolding.initial[state.loc] if source is None else source.value
            self.reads.append(Read(state, past, own, None if source is None else source.place))
            past |= _explained(latest, own)
        number = self._event(thread, state.depth + 1)
        past |= 1 << number
        self._executed[thread] = past
        wrote = state.edges[value].wrote
        if wrote != NOTHING:
            self._add(state.loc, Write(number, (thread, state.depth), wrote, past))
        return value

    def _latest(self, loc: LocationId) -> Write | None:
        """The write that is in memory at a location; None if it holds its initial value."""
        writes = self.writes.get(loc)
        return writes[-1] if writes else None

    def _commit(self, thread: int, loc: int) -> None:
        stores = self._stores[thread]
        store = next(store for store in stores if store.write is None and store.loc == loc)
        past = store.before
        for earlier in stores:
            if earlier is store:
                break
            if earlier.epoch < store.epoch or self._keeps(Access.STORE, Access.STORE, earlier.where, store.where):
                assert earlier.write is not None
                past |= earlier.write.past
        number = self._event(thread, store.place[1] + 1)
        store.write = Write(number, store.place, store.value, past | 1 << number)
        self._add(loc, store.write)

    def _end(self, thread: int) -> None:
        """Let joins see a thread that ended and whose stores are in memory."""
        last = self.ends[thread]
        if not isinstance(last.terminal, Ended):
            return
        stores = [store.write for store in self._stores[thread] if store.write is not None]
        if len(stores) == len(self._stores[thread]):
            past = self._executed[thread]
            for write in stores:
                past |= write.past
            number = self._event(thread, last.depth)
            write = Write(number, (thread, last.depth), self._unfolding.returned(last), past | 1 << number)
            self._add(self._unfolding.threads[thread].end, write)

    def _event(self, thread: int, count: int) -> int:
        self.ran.append((thread, count))
        return len(self.ran) - 1

    def _add(self, loc: int, write: Write) -> None:
        self.writes.setdefault(loc, []).append(write)
        self.written[loc] = self.written.get(loc, 0) | 1 << write.number

    def _suffixes(self) -> list[list[Events]]:
        found = [[0] * (end.depth + 2) for end in self.ends]
        for number, (thread, count) in enumerate(self.ran):
            found[thread][count - 1] |= 1 << number
        for suffixes in found:
            for depth in range(len(suffixes) - 2, -1, -1):
                suffixes[depth] |= suffixes[depth + 1]
        return found


def _explained(latest: Write | None, own: PendingStore | None) -> Events:
    """Returns what a load that happens now takes from memory, where `latest` is, and with it what must be there."""
    if latest is None:
        return 0
    if own is None:
        return latest.past
    if own.write is None or latest is own.write:
        return 0
    return latest.past | own.write.past


def observe(unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> MaximalExecution:
    """The execution of a schedule."""
    return Causality(unfolding, model, choices).execution()
