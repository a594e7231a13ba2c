"""Memory models as data: which program order is preserved, and how stores are buffered.

This file is the only place that knows SC, TSO and PSO by name (docs/semantics.md).
The machine reads `buffering`; the encoder and the consistency checks read
`keeps`. To add a model, add an entry to `MODELS`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from replay.errors import CheckerError


class Access(enum.Enum):
    """What an operation is to a memory model."""

    LOAD = "load"
    STORE = "store"
    BARRIER = "barrier"
    """Fence, rmw or synchronisation: waits for the thread's buffers, ordered with everything."""
    STORE_BARRIER = "store barrier"
    """Orders the stores before it with the stores after it, and nothing else."""
    LOCAL = "local"
    """Touches no memory; has no moment of its own."""

    __hash__ = object.__hash__  # an enumeration's own is Python code, called for each pair that ppo orders


class Buffering(enum.Enum):
    """Which buffered stores of one thread keep their order on the way to memory."""

    NONE = "a store reaches memory at once"
    THREAD = "one first-in-first-out buffer per thread"
    LOCATION = "one first-in-first-out buffer per thread and location"


Pair = tuple[Access, Access]


@dataclass(frozen=True)
class MemoryModel:
    """A store-buffer memory model.

    `relaxed` lists the pairs (earlier, later) of plain accesses of one thread
    that may take effect out of program order; pairs in `relaxed_elsewhere`
    may do so only when they access different locations. All else is preserved
    program order (ppo).
    """

    name: str
    title: str
    buffering: Buffering
    relaxed: frozenset[Pair] = frozenset()
    relaxed_elsewhere: frozenset[Pair] = frozenset()

    def keeps(self, earlier: Access, later: Access, same_location: bool) -> bool:
        """Whether ppo orders `earlier` before `later`, two accesses of one thread."""
        if Access.LOCAL in (earlier, later):
            return False
        if Access.BARRIER in (earlier, later):
            return True
        if earlier is Access.STORE_BARRIER or later is Access.STORE_BARRIER:
            return earlier in (Access.STORE, Access.STORE_BARRIER) and later in (
                Access.STORE,
                Access.STORE_BARRIER,
            )
        pair = (earlier, later)
        if pair in self.relaxed:
            return False
        return same_location or pair not in self.relaxed_elsewhere

    def allows(self, other: MemoryModel) -> bool:
        """Whether every execution under `other` is also one under this model."""
        anywhere = self.relaxed | self.relaxed_elsewhere
        return self.relaxed >= other.relaxed and anywhere >= other.relaxed_elsewhere

    @property
    def forwards(self) -> bool:
        """Whether a load may be served by a store of its own thread that is not in memory yet."""
        return (Access.STORE, Access.LOAD) in self.relaxed


_STORE_LOAD: Pair = (Access.STORE, Access.LOAD)
_STORE_STORE: Pair = (Access.STORE, Access.STORE)

SC = MemoryModel("sc", "sequential consistency", Buffering.NONE)
TSO = MemoryModel("tso", "total store order (x86)", Buffering.THREAD, relaxed=frozenset({_STORE_LOAD}))
PSO = MemoryModel(
    "pso",
    "partial store order (SPARC)",
    Buffering.LOCATION,
    relaxed=frozenset({_STORE_LOAD}),
    relaxed_elsewhere=frozenset({_STORE_STORE}),
)

MODELS: dict[str, MemoryModel] = {model.name: model for model in (SC, TSO, PSO)}
"""Every model, strongest first."""


def memory_model(name: str) -> MemoryModel:
    """The model of that name, whatever its case; raises CheckerError for an unknown one."""
    try:
        return MODELS[name.lower()]
    except KeyError:
        raise CheckerError(f"unknown memory model {name!r}; there are {', '.join(MODELS)}") from None
