"""Program order as far as it is preserved: who must happen before whom within one thread ([huang-2016] 4.1).

What precedes an operation depends on its local state only, so it is computed
once per state of the unfolding and shared by all traces that pass it.
"""

from __future__ import annotations

from typing import NamedTuple

from mcr.executions.relations import preceding
from replay.machine.state import State
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind

PAPER = "paper"
COMPLETE = "complete"
"""The two ways to order a store and a later load of the same location under TSO and PSO.

complete  not at all: the load may be served from the store buffer (docs/semantics.md 4)
paper     as [huang-2016] rule Phi_addr says: the store commits first
"""


class Predecessors(NamedTuple):
    """Depths of the operations of the same thread that come directly before one.

    memory  by Phi_mem: two plain accesses
    sync    by Phi_sync: one of the two is a fence, an rmw or a synchronisation
    """

    memory: tuple[int, ...]
    sync: tuple[int, ...]


class ProgramOrder:
    """Preserved program order under one memory model and encoding, transitively reduced."""

    def __init__(self, model: MemoryModel, encoding: str = COMPLETE) -> None:
        self.model = model
        self._paper = encoding == PAPER
        self._known: dict[int, Predecessors] = {}
        self._memory_closure: dict[int, int] = {}
        self._closure: dict[int, int] = {}

    def before(self, state: State) -> Predecessors:
        """The direct predecessors of the operation that `state` asks for (of the thread's end, if it asks for none)."""
        found = self._known.get(state.number)
        return found or self._compute(state.path())

    def _compute(self, path: list[State]) -> Predecessors:
        """Plain accesses are ordered among themselves alone, all else with everything."""
        *earlier, state = path
        for before in earlier:
            self.before(before)
        plain = [is_plain(before) and is_plain(state) for before in earlier]
        kept = [self._keeps(before, state) for before in earlier]
        memory, self._memory_closure[state.number] = preceding(
            [self._memory_closure[before.number] for before in earlier], lambda depth: plain[depth] and kept[depth]
        )
        direct, self._closure[state.number] = preceding(
            [self._closure[before.number] for before in earlier], kept.__getitem__
        )
        sync = [depth for depth in direct if not plain[depth]]
        found = self._known[state.number] = Predecessors(tuple(memory), tuple(sync))
        return found

    def _keeps(self, earlier: State, later: State) -> bool:
        first, second = access(earlier), access(later)
        plain = is_plain(earlier) and is_plain(later)
        if self._paper and plain and earlier.loc == later.loc:
            return True
        return self.model.keeps(first, second, _where(earlier), _where(later))


def access(state: State) -> Access:
    """What the state's operation is to memory.

    An input has no moment of its own, but what follows depends on it: it is
    kept in order as if it were a load. The end of a thread waits for its stores.
    """
    operation = state.operation
    if operation is None:
        return Access.BARRIER
    return Access.LOAD if operation.kind is Kind.CHOOSE else operation.access


def _where(state: State) -> str:
    return state.operation.where if state.operation else ""


def is_plain(state: State) -> bool:
    return access(state) in (Access.LOAD, Access.STORE)
