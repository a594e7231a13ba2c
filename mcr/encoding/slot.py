"""Slots: where order and reads-from live (docs/algorithms.md, "Slots")."""

from __future__ import annotations

from replay.world.memory_model import Access
from replay.world.operation import Guard, Kind
from replay.world.values import ValueId
from solvers.interface import Disjunction, Event, OrderSolver, Statement

NO_STATEMENT: Statement = 0


class Slot:
    """Operations of one thread at one depth, alike but for the history before them.

    At most one of them is executed, so they share one event and whatever the
    solver learns about its order.

    kind     None for the end of a thread, which acts as a draining store of what it returned
    event    its moment: when it executes, or for a store when it commits
    where    the name of its location, "" if it has none
    done     statement: it is executed (committed, if a store)
    writes   statement: it is executed and writes something known; NO_STATEMENT if it never writes
    values   statement "it reads v", by value id
    written  statement "it writes v", by value id
    sources  whom it may read from and the statement that it does; None stands for the initial value
    readers  the inverse of sources
    """

    __slots__ = (
        "access", "causes", "child", "depth", "done", "event", "kind", "loc", "read_chain", "readers", "reads",
        "ready", "sources", "states", "thread", "values", "where", "writes", "written",
    )  # fmt: skip

    def __init__(self, thread: int, depth: int, loc: int, access: Access, kind: Kind | None, done: Statement) -> None:
        self.thread = thread
        self.depth = depth
        self.loc = loc
        self.access = access
        self.kind = kind
        self.done = done
        self.event: Event = -1
        self.writes: Statement = NO_STATEMENT
        self.where = ""
        self.reads = False
        self.ready: Guard | None = None
        self.child = -1
        self.values: dict[ValueId, Statement] = {}
        self.written: dict[ValueId, Statement] = {}
        self.sources: list[tuple[Slot | None, Statement]] = []
        self.readers: list[tuple[Slot, Statement]] = []
        self.read_chain: Statement = NO_STATEMENT
        self.causes: Disjunction = -1
        self.states: Disjunction = -1

    def add_value(self, value: ValueId, solver: OrderSolver, possible: bool) -> Statement:
        """Make the statement that the slot reads `value`, which excludes its other values.

        The exclusion is a chain: "one of the values so far was read".
        """
        statement = self.values[value] = solver.statement()
        if not possible:
            solver.require((-statement,))
            return statement
        chain = solver.statement()
        solver.require((-statement, chain))
        if self.read_chain:
            solver.require((-self.read_chain, chain))
            solver.require((-self.read_chain, -statement))
        self.read_chain = chain
        return statement
