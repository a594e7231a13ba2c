"""The maximal executions of a program, one class at a time, while its unfolding becomes known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from mcr.encoding.formula import Formula
from mcr.encoding.maximality import Maximality
from mcr.encoding.seed import Candidate, Past
from mcr.encoding.slot import Slot
from mcr.executions.equivalence import Equivalence, Execution, Place, has_started
from replay.machine.machine import Choice
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from solvers.interface import OrderSolver, Statement


class Executions:
    """Proposes maximal executions; each class can be excluded once it was seen.

    Among them are those in which threads read something new: playing one of
    them shows new states, and belongs to a class that was not seen either.
    """

    def __init__(
        self,
        unfolding: Unfolding,
        model: MemoryModel,
        solver: OrderSolver,
        *,
        one_source: bool = False,
        final: bool = False,
    ) -> None:
        """With `one_source`, a read has one source even where two stores have the same value.

        With `final`, the final function is part of the executions.
        """
        self.solver = solver
        self.formula = Formula(unfolding, model, solver, goals=False, final=final)
        self.maximality = Maximality(self.formula, final=final)
        self._one_source = one_source
        self._sources: dict[Slot, int] = {}

    def grow(self) -> None:
        """Take in all states that the unfolding gained."""
        self.formula.grow()
        self.maximality.grow()
        if self._one_source:
            self._require_one_source()

    def _require_one_source(self) -> None:
        for readers in self.formula.communication.readers.values():
            for reader in readers:
                self.formula.unfolding.check()
                statements = [reads_from for _, reads_from in reader.sources]
                known = self._sources.get(reader, 0)
                for number in range(known, len(statements)):
                    for other in statements[:number]:
                        self.solver.require((-statements[number], -other))
                self._sources[reader] = len(statements)

    def propose(self, through: Iterable[State] = ()) -> Candidate | None:
        """A maximal execution that is not excluded, its orders unchecked; None if there is none.

        through  local states that it must pass, all of them known when it grew last
        """
        passed = [self.formula.executed[state.number] for state in through]
        return Candidate(self.formula) if self.solver.propose(passed) else None

    def schedule(self, candidate: Candidate, through: Iterable[State] = ()) -> list[Choice] | None:
        """The schedule of a proposed execution; None if its orders have a cycle, so propose anew.

        Where something new is read, it ends there: what an update writes then, nobody knows yet.
        """
        past = Past(candidate, candidate.goals[:1], through) if candidate.goals else Past.everything(candidate)
        order = self.solver.sort(past.events)
        return None if order is None else past.schedule(order)

    def exclude(self, execution: Execution, equivalence: Equivalence) -> None:
        """Never again propose an execution of this one's class."""
        self.solver.require([-statement for statement in self._description(execution, equivalence)])

    def _description(self, execution: Execution, equivalence: Equivalence) -> Iterator[Statement]:
        """Statements that hold together exactly in the executions of one class."""
        paths = {end.thread: end.path() for end in execution.ends}
        for end in execution.ends:
            if not has_started(end):
                continue
            yield self.formula.executed[end.number]
            if end.operation is not None:
                yield self.maximality.stuck(end)
        if equivalence.sources:
            for reader, source in execution.sources.items():
                yield _reads_from(self._slot(paths, reader), source and self._slot(paths, source))
        if equivalence.coherence:
            for order in execution.coherence.values():
                for first, second in pairwise(order):
                    if first[0] != second[0]:
                        yield self.solver.order(self._slot(paths, first).event, self._slot(paths, second).event)

    def _slot(self, paths: dict[int, list[State]], place: Place) -> Slot:
        thread, depth = place
        slot = self.formula.slot_of[paths[thread][depth].number] or self.formula.endings.slot(thread, depth)
        assert slot is not None
        return slot


def _reads_from(reader: Slot, source: Slot | None) -> Statement:
    return next(statement for slot, statement in reader.sources if slot is source)
