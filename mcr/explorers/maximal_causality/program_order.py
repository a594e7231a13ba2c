"""Program order as far as it is preserved: who must happen before whom within one thread ([huang-2016] 4.1).

What precedes an operation depends on its local state only, so it is computed
once per state of the unfolding and shared by all traces that pass it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mcr.executions.relations import preceding
from replay.machine.state import State
from replay.world.memory_model import Access, Loads, MemoryModel
from replay.world.operation import Kind

PAPER = "paper"
COMPLETE = "complete"
"""The two ways to order a store and a later load of the same location under TSO and PSO.

complete  not at all: the load may be served from the store buffer (docs/semantics.md 4)
paper     as [huang-2016] rule Phi_addr says: the store commits first
"""


class Predecessors(NamedTuple):
    """What comes before an operation in its thread.

    memory  depths of those directly before it by Phi_mem: two plain accesses
    sync    the same by Phi_sync: one of the two is a fence, an rmw or a synchronisation
    plain   depths of all before it by Phi_mem, as bits
    all     depths of all before it, as bits
    """

    memory: tuple[int, ...]
    sync: tuple[int, ...]
    plain: int
    all: int


class ProgramOrder:
    """Preserved program order under one memory model and encoding, transitively reduced."""

    def __init__(self, model: MemoryModel, encoding: str = COMPLETE) -> None:
        self.model = model
        self._known: dict[int, Predecessors] = {}
        self._order = model
        if encoding == PAPER and model.buffers is not None and model.forwards:
            self._order = replace(model, buffers=replace(model.buffers, loads=Loads.AFTER_OWN))

    def before(self, state: State) -> Predecessors:
        """What precedes the operation that `state` asks for (the thread's end, if it asks for none)."""
        found = self._known.get(state.number)
        if found is None:
            *earlier, _ = state.path()
            found = self._known[state.number] = self._compute(earlier, state)
        return found

    def _compute(self, earlier: list[State], state: State) -> Predecessors:
        """Plain accesses are ordered among themselves alone, all else with everything."""
        known = [self.before(each) for each in earlier]
        plain = [is_plain(each) and is_plain(state) for each in earlier]
        kept = [self._keeps(each, state) for each in earlier]
        memory, all_plain = preceding([each.plain for each in known], lambda depth: plain[depth] and kept[depth])
        direct, everything = preceding([each.all for each in known], kept.__getitem__)
        sync = tuple(depth for depth in direct if not plain[depth])
        return Predecessors(tuple(memory), sync, all_plain, everything)

    def _keeps(self, earlier: State, later: State) -> bool:
        return self._order.keeps(access(earlier), access(later), _where(earlier), _where(later))


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
