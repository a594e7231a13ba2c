"""The final function as part of maximal executions: it runs once every thread that was started has ended."""

from __future__ import annotations

from mcr.encoding.formula import Formula
from replay.code.terminals import Ended
from replay.world.operation import Kind
from solvers.interface import Disjunction, Statement


class FinalFunction:
    """Requires that the final function starts when it may. Grows with its formula.

    That it starts only then is the formula's business (`Endings.add_final`).
    """

    def __init__(self, formula: Formula) -> None:
        self._formula = formula
        self._states = 0
        self._starts: Disjunction | None = None
        self._over: dict[int, Statement] = {}

    def grow(self) -> None:
        """Take in what the formula gained."""
        unfolding, executed = self._formula.unfolding, self._formula.executed
        if unfolding.final is None:
            return
        if self._starts is None:
            slot = self._formula.slot_of[unfolding.final.root.number]
            assert slot is not None
            self._starts = self._formula.solver.open_disjunction((slot.done,))
        for info in unfolding.threads[len(self._over) :]:
            self._over[info.index] = self._thread_over(info.index)
        for state in unfolding.states[self._states : len(executed)]:
            if isinstance(state.terminal, Ended):
                self._formula.solver.require((-executed[state.number], self._over[state.thread]))
        self._states = len(executed)

    def _thread_over(self, thread: int) -> Statement:
        """A new statement that holds if the thread has ended, or was not started, and that the start waits for."""
        solver, info = self._formula.solver, self._formula.unfolding.threads[thread]
        over = solver.statement()
        assert self._starts is not None
        if info.is_final:
            return over
        solver.extend(self._starts, (-over,))
        if info.root.operation is not None and info.root.operation.kind is Kind.START:
            start = self._formula.slot_of[info.root.number]
            assert start is not None
            solver.require((start.done, over))
        return over
