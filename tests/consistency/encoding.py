"""Consistency as a question to a solver: the axioms of docs/semantics.md 4 on one instance.

The third independent answer beside the published searches and brute force:
it knows moments and orders, no buffers and no prefixes. It decides
good-writes instances under every model, which VerifyTSO and VerifyPSO do not.
"""

from __future__ import annotations

from itertools import combinations

from mcr.consistency.closure import program_order
from mcr.consistency.instance import INITIAL, Instance, Realization, is_possible_source
from mcr.consistency.partial_order import members
from mcr.consistency.witness import witness_of
from replay.world.memory_model import Access, MemoryModel
from solvers.interface import Event, OrderSolver, Statement
from solvers.registry import DEFAULT_SOLVER, make_solver


def solve(instance: Instance, model: MemoryModel, solver: str = DEFAULT_SOLVER) -> Realization:
    """Whether (X, GoodW) is realizable under the model; `explored` counts the solver's proposals."""
    order = program_order(instance, model)
    if order is None:
        return Realization(None)
    encoding = _Encoding(instance, make_solver(solver))
    for earlier, later in order.added:
        encoding.solver.precedes(encoding.events[earlier], encoding.events[later])
    for read in instance.good:
        encoding.add_read(read)
    moments, proposals = encoding.find()
    if moments is None:
        return Realization(None, proposals)
    waiting = [id for id in moments if instance.actions[id].access not in (Access.LOCAL, Access.STORE_BARRIER)]
    return Realization(witness_of(instance, model, waiting), proposals)


class _Encoding:
    """The instance in a solver's words: an event for each action, an order for each two writes of a location."""

    def __init__(self, instance: Instance, solver: OrderSolver) -> None:
        self.instance = instance
        self.solver = solver
        self.events: list[Event] = [solver.event() for _ in instance.actions]
        for writes in instance.writers.values():
            for one, two in combinations(writes, 2):
                self._before(one, two)

    def find(self) -> tuple[list[int] | None, int]:
        """Ids of the actions in the order of their moments, None if there is none; and the number of proposals."""
        proposals = 0
        names = {event: id for id, event in enumerate(self.events)}
        while self.solver.propose():
            proposals += 1
            order = self.solver.sort(self.events)
            if order is not None:
                return [names[event] for event in order], proposals
        return None, proposals

    def add_read(self, read: int) -> None:
        """rf and fr: the read has one of its good writes as its source."""
        choices: list[Statement] = []
        for write in [write for write in self.instance.good[read] if is_possible_source(self.instance, read, write)]:
            reads_from = self.solver.statement()
            choices.append(reads_from)
            self._add_source(read, write, reads_from)
        self.solver.require(choices)

    def _add_source(self, read: int, write: int, reads_from: Statement) -> None:
        instance, require = self.instance, self.solver.require
        actions = instance.actions
        if write == INITIAL:
            for rival in members(instance.foreign_writes(read)):
                require((-reads_from, self._before(read, rival)))
            return
        if actions[write].thread != actions[read].thread:
            require((-reads_from, self._before(write, read)))
            own = instance.own_write_before(read)
            if own is not None:
                require((-reads_from, self._before(own, write)))
        for rival in instance.writers[actions[read].location]:
            if rival not in (write, read) and not self._precedes_in_thread(rival, read):
                require((-reads_from, -self._before(write, rival), self._before(read, rival)))

    def _precedes_in_thread(self, write: int, read: int) -> bool:
        """An own earlier write, which is in co before any possible source."""
        actions = self.instance.actions
        return actions[write].thread == actions[read].thread and actions[write].index < actions[read].index

    def _before(self, one: int, two: int) -> Statement:
        return self.solver.order(self.events[one], self.events[two])
