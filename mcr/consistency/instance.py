"""The problem: actions of some threads, and which writes each read may read from.

[bui-2021] section 4 writes an instance (X, RF), [agarwal-2021] section 4
(X, GoodW); an RF is a GoodW with one write for each read, so one type serves
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from mcr.consistency.partial_order import bit_set
from replay.world.memory_model import Access, MemoryModel

INITIAL = -1
"""Stands for the write of the initial value, wherever the id of a write is expected."""

NOWHERE = -1
"""The location of an action that accesses no memory."""


@dataclass(frozen=True, slots=True)
class InstanceAction:
    """One operation of a thread.

    id        position among the instance's actions
    index     program order: position among the actions of its thread
    access    what it is to the memory model; an rmw, a lock, an unlock or a spawn is
              a BARRIER that reads or writes, an atomic block of [bui-2021] section 4.4
    location  number of the location it accesses
    name      the location's name, which the number stands in for if there is none
    after     actions of other threads that must be over before it (what a join waits for)
    """

    id: int
    thread: int
    index: int
    access: Access
    location: int = NOWHERE
    reads: bool = False
    writes: bool = False
    after: tuple[int, ...] = ()
    name: str = ""

    @property
    def where(self) -> str:
        """The name of the location in the memory model."""
        return self.name or str(self.location)


@dataclass(frozen=True)
class Instance:
    """Actions, and for each that reads the writes that it may read from (GoodW).

    Actions of one thread come in program order. The writes are ids of actions or INITIAL.
    """

    actions: tuple[InstanceAction, ...]
    good: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def threads(self) -> tuple[tuple[int, ...], ...]:
        """Ids of the actions of each thread, in program order."""
        lines: list[list[int]] = [[] for _ in range(1 + max((action.thread for action in self.actions), default=-1))]
        for action in self.actions:
            lines[action.thread].append(action.id)
        return tuple(map(tuple, lines))

    @cached_property
    def is_rf(self) -> bool:
        """True if each read has exactly one source."""
        return all(len(writes) == 1 for writes in self.good.values())

    @cached_property
    def writers(self) -> dict[int, tuple[int, ...]]:
        """Ids of the actions that write, by location."""
        return self._by_location(action for action in self.actions if action.writes)

    @cached_property
    def readers(self) -> dict[int, tuple[int, ...]]:
        """Ids of the actions that read, by location."""
        return self._by_location(action for action in self.actions if action.reads)

    @staticmethod
    def _by_location(actions: Iterable[InstanceAction]) -> dict[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        for action in actions:
            found.setdefault(action.location, []).append(action.id)
        return {location: tuple(ids) for location, ids in found.items()}

    def source(self, read: int) -> int:
        """RF of a read that has only one good write."""
        (write,) = self.good[read]
        return write

    def own_write_before(self, read: int) -> int | None:
        """The po-latest write of the read's thread before it to its location."""
        return self._own_writes.get(read)

    @cached_property
    def _own_writes(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for line in self.threads:
            latest: dict[int, int] = {}
            for id in line:
                action = self.actions[id]
                if action.reads and action.location in latest:
                    found[id] = latest[action.location]
                if action.writes:
                    latest[action.location] = id
        return found

    def foreign_writes(self, read: int) -> int:
        """Bit set of the other threads' writes to the read's location."""
        action = self.actions[read]
        own = self._thread_bits[action.thread]
        return self._writer_bits.get(action.location, 0) & ~own

    @cached_property
    def _writer_bits(self) -> dict[int, int]:
        return {location: bit_set(ids) for location, ids in self.writers.items()}

    @cached_property
    def _thread_bits(self) -> list[int]:
        return [bit_set(line) for line in self.threads]

    def has_store_fence(self) -> bool:
        return any(action.access is Access.STORE_BARRIER for action in self.actions)


def is_possible_source(instance: Instance, read: int, write: int) -> bool:
    """Returns whether coherence within one thread allows the pair, which [bui-2021] section 4 assumes without loss.

    An own write must be the po-latest one before the read; the initial value
    must not be hidden by an own earlier write; an action does not read from itself.
    """
    own = instance.own_write_before(read)
    if write == INITIAL:
        return own is None
    if instance.actions[write].thread == instance.actions[read].thread:
        return write == own
    return True


def is_buffered(action: InstanceAction, model: MemoryModel) -> bool:
    """Returns whether the action is a two-phase write: executed first, committed to memory later."""
    return model.is_buffered(action.access)


@dataclass(frozen=True, slots=True)
class WitnessMove:
    """One step of a witness: an action is executed, or its buffered write commits to memory."""

    action: int
    commit: bool = False


Witness = tuple[WitnessMove, ...]


@dataclass(frozen=True)
class Realization:
    """The answer of a procedure: a witness, or None when the instance is not realizable; how many prefixes it
    explored."""

    witness: Witness | None
    explored: int = 0

    @property
    def is_realizable(self) -> bool:
        return self.witness is not None


def _let_it_search() -> None:
    """The watch of a search that nothing is to end."""


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    closure  compute the closure first: a filter before the search, and a guide in it
    extends  before the search, try one linear extension of the closure (ours; not for good-writes)
    guide    action ids in the order of an auxiliary trace: the search tries that order first
    watch    called for each prefix; it ends the search by raising something
    """

    closure: bool = True
    extends: bool = False
    guide: tuple[int, ...] = ()
    watch: Callable[[], None] = _let_it_search
