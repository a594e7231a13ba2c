"""The causal pasts of one execution's events (docs/semantics.md 5).

Events are numbered in the order of their moments: a load or barrier when it
executes, a store when it commits, the end of a thread when its last store is
in memory. A set of events is a Python integer used as a bit set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replay.code.thread_run import Ended
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, Buffering, MemoryModel
from replay.world.values import ValueId

Events = int
"""A set of events, by number."""


class Write(NamedTuple):
    """An event that put a value into memory; `past` is what it depends on, itself included."""

    number: int
    value: ValueId
    past: Events


class Read(NamedTuple):
    """An operation whose result could have been another.

    past   what happened before it in its thread, with all that that depends on
    own    the latest earlier store of its own thread to the location, if there is one
    """

    state: State
    past: Events
    own: Store | None


class Store:
    """A store on its way to memory.

    before   what it depends on, but for earlier stores
    write    its event; None while it is in the buffer
    """

    __slots__ = ("before", "depth", "epoch", "loc", "value", "write")

    def __init__(self, state: State, before: Events, epoch: int) -> None:
        self.loc = state.loc
        self.depth = state.depth
        self.value = state.stored
        self.before = before
        self.epoch = epoch
        self.write: Write | None = None


class Causality:
    """One execution: its events with their causal pasts, without the final function.

    reads    operations that could have had another result
    writes   by location, in coherence order
    written  by location, the events of `writes`
    ran      by event, the thread and how many operations it had executed at least
    after    [t][d]: events of thread t's operations from depth d on
    """

    def __init__(
        self, unfolding: Unfolding, model: MemoryModel, ends: Sequence[State], choices: Sequence[Choice]
    ) -> None:
        """`ends` are the last local states of all threads after the schedule `choices`."""
        self.choices = choices
        self.reads: list[Read] = []
        self.writes: dict[int, list[Write]] = {}
        self.written: dict[int, Events] = {}
        self.ran: list[tuple[int, int]] = []
        self._unfolding = unfolding
        self._keeps = model.keeps
        self._at_once = model.buffering is Buffering.NONE
        self._paths = [end.path() for end in ends]
        self._done = [0] * len(ends)
        self._epoch = [0] * len(ends)
        self._executed: list[Events] = [0] * len(ends)
        self._stores: list[list[Store]] = [[] for _ in ends]
        self._commits: list[int] = []
        self._observe()
        self.after = self._suffixes()

    def kept(self, past: Events, goal: State) -> list[Choice]:
        """The choices that bring about the events of a past, and the goal's thread as far as the goal."""
        counts = [0] * len(self._paths)
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
        for thread in range(len(self._paths)):
            self._end(thread)
        for thread, commit, _ in self.choices:
            if thread == final:
                break
            if commit == NOTHING:
                self._commits.append(NOTHING)
                self._run(thread)
            else:
                self._commits.append(len(self.ran))
                self._commit(thread, commit)
            self._end(thread)

    def _run(self, thread: int) -> None:
        depth = self._done[thread]
        state = self._paths[thread][depth]
        self._done[thread] += 1
        assert state.operation is not None
        access = state.operation.access
        if access is Access.STORE:
            self._stores[thread].append(Store(state, self._executed[thread], self._epoch[thread]))
            if self._at_once:
                self._commit(thread, state.loc)
        elif access is Access.STORE_BARRIER:
            self._epoch[thread] += 1
        elif access is Access.LOCAL:
            self.reads.append(Read(state, self._executed[thread], None))
        else:
            self._execute(thread, state, access)

    def _execute(self, thread: int, state: State, access: Access) -> None:
        """A load or barrier takes effect."""
        past = self._executed[thread]
        own: Store | None = None
        for store in self._stores[thread]:
            if self._keeps(Access.STORE, access, store.loc == state.loc):
                assert store.write is not None
                past |= store.write.past
            if store.loc == state.loc:
                own = store
        if state.reads:
            self.reads.append(Read(state, past, own))
            past |= self._source(state.loc, own)
        number = self._event(thread, state.depth + 1)
        past |= 1 << number
        self._executed[thread] = past
        after = self._paths[thread][state.depth + 1]
        if after.wrote != NOTHING:
            self._add(state.loc, Write(number, after.wrote, past))

    def _source(self, loc: int, own: Store | None) -> Events:
        """What a load of the location that happens now takes its value from, and with it what must be in memory."""
        writes = self.writes.get(loc)
        if own is None:
            return writes[-1].past if writes else 0
        if own.write is None or not writes or writes[-1] is own.write:
            return 0
        return writes[-1].past | own.write.past

    def _commit(self, thread: int, loc: int) -> None:
        stores = self._stores[thread]
        store = next(store for store in stores if store.write is None and store.loc == loc)
        past = store.before
        for earlier in stores:
            if earlier is store:
                break
            if earlier.epoch < store.epoch or self._keeps(Access.STORE, Access.STORE, earlier.loc == loc):
                assert earlier.write is not None
                past |= earlier.write.past
        number = self._event(thread, store.depth + 1)
        store.write = Write(number, store.value, past | 1 << number)
        self._add(loc, store.write)

    def _end(self, thread: int) -> None:
        """Let joins see a thread that ended and whose stores are in memory."""
        last = self._paths[thread][-1]
        if self._done[thread] != last.depth or not isinstance(last.terminal, Ended):
            return
        stores = [store.write for store in self._stores[thread] if store.write is not None]
        if len(stores) == len(self._stores[thread]):
            past = self._executed[thread]
            for write in stores:
                past |= write.past
            number = self._event(thread, last.depth)
            write = Write(number, self._unfolding.returned(last), past | 1 << number)
            self._add(self._unfolding.threads[thread].end, write)

    def _event(self, thread: int, count: int) -> int:
        self.ran.append((thread, count))
        return len(self.ran) - 1

    def _add(self, loc: int, write: Write) -> None:
        self.writes.setdefault(loc, []).append(write)
        self.written[loc] = self.written.get(loc, 0) | 1 << write.number

    def _suffixes(self) -> list[list[Events]]:
        found = [[0] * (len(path) + 1) for path in self._paths]
        for number, (thread, count) in enumerate(self.ran):
            found[thread][count - 1] |= 1 << number
        for suffixes in found:
            for depth in range(len(suffixes) - 2, -1, -1):
                suffixes[depth] |= suffixes[depth + 1]
        return found
