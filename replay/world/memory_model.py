"""The vocabulary of memory models, in which the pages in `replay/world/memory_models` are written.

A model says how stores wait on their way to memory, and what loads do
meanwhile. Everything else follows: preserved program order, which the formulas,
the graphs and the consistency checks read (`keeps`), and the axioms that
reports name (docs/semantics.md 3 and 4).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass


class Access(enum.Enum):
    """The kinds of operations that a memory model tells apart."""

    LOAD = "load"
    STORE = "store"
    BARRIER = "barrier"
    """Fence, update or synchronisation: waits for the thread's buffers, ordered with everything."""
    STORE_BARRIER = "store barrier"
    """Orders the stores before it with the stores after it, and nothing else."""
    LOCAL = "local"
    """Touches no memory; has no moment of its own."""

    __hash__ = object.__hash__  # an enumeration's own is Python code, called for each pair that ppo orders


class Loads(enum.IntEnum):
    """The ways of a load while stores of its own thread are in a buffer; later members allow more."""

    AFTER_ALL = 0
    """It waits until all of them are in memory."""
    AFTER_OWN = 1
    """It waits until those to its own location are in memory."""
    FORWARDED = 2
    """It returns the newest one to its location, if there is one (store forwarding)."""


Key = Callable[[str], str]
"""From a location's name to the name of the buffer, one of its thread's, in which stores to it wait."""


def one_per_thread(_: str) -> str:
    """All stores of a thread wait in one buffer."""
    return ""


def one_per_location(location: str) -> str:
    """Stores to different locations wait in different buffers."""
    return location


@dataclass(frozen=True)
class Buffers:
    """How stores wait: each buffer is first in, first out, and buffers drain independently of each other.

    A buffer that lets stores to different locations go in any order is nothing else than several buffers, as stores
    to one location stay in order under every model.
    """

    key: Key
    loads: Loads = Loads.FORWARDED


@dataclass(frozen=True)
class Axiom:
    """Executions have no cycle in the union of some relations, named as in the literature."""

    name: str
    relations: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: no cycle in {' + '.join(self.relations)}"


COHERENCE = Axiom("coherence", ("po-loc", "rf", "co", "fr"))
"""What every model keeps at each location by itself."""


@dataclass(frozen=True)
class MemoryModel:
    """A memory model: stores reach memory at once, or wait in buffers.

    name     what commands, files and reports call it
    title    how reports introduce it
    buffers  None if a store reaches memory at once
    """

    name: str
    title: str
    buffers: Buffers | None = None

    def __str__(self) -> str:
        return self.name

    def keeps(self, earlier: Access, later: Access, one: str, two: str) -> bool:
        """Returns whether ppo orders `earlier` before `later`, accesses of one thread to the locations `one` and
        `two`.

        Where they are not next to each other, what is between may order them as well: ppo is transitive.
        """
        if earlier is Access.LOCAL or later is Access.LOCAL:
            return False
        if earlier is Access.BARRIER or later is Access.BARRIER:
            return True
        if earlier is Access.STORE_BARRIER or later is Access.STORE_BARRIER:
            return earlier is not Access.LOAD and later is not Access.LOAD
        if earlier is Access.LOAD or self.buffers is None:
            return True
        if later is Access.LOAD:
            loads = self.buffers.loads
            return loads is Loads.AFTER_ALL or (loads is Loads.AFTER_OWN and one == two)
        return one == two or self.buffers.key(one) == self.buffers.key(two)

    def bridges(self, earlier: Access, later: Access) -> bool:
        """Returns whether `later`, between `earlier` and a third operation, may order these two where ppo alone
        does not.

        Loads and barriers are before everything that follows them, and a buffer keeps its stores in order: they need
        nothing in between.
        """
        if self.buffers is None or earlier in (Access.LOAD, Access.BARRIER):
            return False
        return later in (Access.BARRIER, Access.STORE_BARRIER) or self.buffers.loads is not Loads.FORWARDED

    def is_buffered(self, access: Access) -> bool:
        """Returns whether such an operation has its moment later than it is executed: a commit."""
        return access is Access.STORE and self.buffers is not None

    @property
    def forwards(self) -> bool:
        """True if a load may be served by a store of its own thread that is not in memory yet."""
        return self.buffers is not None and self.buffers.loads is Loads.FORWARDED

    def allows(self, other: MemoryModel) -> bool:
        """Returns whether every execution under `other` is known to be one under this model."""
        mine, theirs = self.buffers, other.buffers
        if mine is None or theirs is None:
            return theirs is None
        finer = mine.key is theirs.key or mine.key is one_per_location or theirs.key is one_per_thread
        return finer and mine.loads >= theirs.loads

    @property
    def axioms(self) -> tuple[Axiom, ...]:
        """The axioms that can forbid an execution, by the names that reports print."""
        order = "po" if self.buffers is None else "ppo"
        return COHERENCE, Axiom(self.name.upper(), (order, "rfe", "co", "fr"))
