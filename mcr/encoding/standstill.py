"""The requirement that an execution ends in a deadlock (docs/semantics.md 6, `replay.traces.liveness`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import eq

from mcr.encoding.formula import Formula
from mcr.encoding.maximality import Maximality
from replay.code.terminals import Blocked, Ended
from replay.machine.state import Edge, State
from replay.traces.liveness import is_given_back
from replay.world.operation import LOCK, Kind
from solvers.interface import Statement


def require_deadlock(formula: Formula, maximality: Maximality) -> None:
    """Require that somebody waits for what can never come.

    To be added once the unfolding is complete: nothing new is read any more.
    """
    _Deadlock(formula, maximality).require()


class _Deadlock:
    """Threads that wait for ever, each for others of them or for nobody.

    Where a thread stopped at an assumption, or failed, there may be threads that are none of them: those who wait for
    it. Then all of them wait for the owners of mutexes, or for ends of threads; for what else they may wait,
    somebody who is left might bring it.
    """

    def __init__(self, formula: Formula, maximality: Maximality) -> None:
        self._formula = formula
        self._maximality = maximality
        self._unfolding = formula.unfolding
        self._require = formula.solver.require
        threads = [info for info in self._unfolding.threads if not info.is_final]
        self._inside = {info.index: formula.solver.statement() for info in threads}
        self._all = formula.solver.statement()
        """Every thread has ended or waits for ever."""
        self._waits: dict[int, list[Statement]] = {thread: [] for thread in self._inside}

    def require(self) -> None:
        """Require that there are some."""
        stopped = False
        for state in self._unfolding.states:
            if state.thread not in self._inside or isinstance(state.terminal, Ended):
                continue
            if state.operation is not None:
                self._goes_on(state)
            elif isinstance(state.terminal, Blocked) and state.terminal.wait_from >= 0:
                self._require((-self._all, -self._formula.executed[state.number], self._failed(state, state.terminal)))
            else:
                stopped = True
                self._require((-self._all, -self._formula.executed[state.number]))
        for thread, waits in self._waits.items():
            self._require((-self._inside[thread], *waits))
        expected = [inside for thread, inside in self._inside.items() if not self._unfolding.threads[thread].is_daemon]
        self._require(expected)
        if not stopped:
            self._require((self._all,))

    def _goes_on(self, state: State) -> None:
        """A thread that is at `state` goes on along known steps, or waits."""
        operation, executed = state.operation, self._formula.executed[state.number]
        assert operation is not None
        following = [self._formula.taken(edge) for edge in state.edges.values()]
        if operation.kind is Kind.START:
            return
        if operation.ready is None:
            self._require((-executed, *following))
            return
        stuck = self._maximality.stuck(state)
        self._require((-executed, stuck, *following))
        waits = self._waiting(state)
        self._require((-waits, stuck))
        self._require((-self._all, -executed, waits, *following))
        if operation.kind is Kind.JOIN:
            target = self._unfolding.thread(operation.target)
            assert target is not None
            self._require((-waits, self._inside[target.index]))
        elif operation.tag == LOCK and not is_given_back(self._unfolding, state.loc):
            self._waits_for_owner(state, waits)
        else:
            self._require((-waits, self._all))

    def _waiting(self, state: State) -> Statement:
        """A statement that a thread waits for ever at `state`."""
        waits = self._formula.solver.statement()
        self._require((-waits, self._formula.executed[state.number]))
        self._waits[state.thread].append(waits)
        return waits

    def _waits_for_owner(self, state: State, waits: Statement) -> None:
        """A thread that waits for a mutex waits for the thread that holds it."""
        values = self._unfolding.values
        last = self._maximality.last_write(state.loc)
        names = [info.name for info in self._unfolding.threads if info.index in self._inside]
        for name in names:
            owner = self._unfolding.thread(name)
            assert owner is not None
            if owner.index != state.thread:
                another = self._formula.solver.statement()
                self._require((-waits, self._inside[owner.index], self._all, another))
                last.demand(another, partial(lambda name, value: values[value] != name, name))
        somebody = self._formula.solver.statement()
        self._require((-waits, self._all, somebody))
        last.demand(somebody, lambda value: values[value] in names)

    def _failed(self, state: State, end: Blocked) -> Statement:
        """The wait that failed, or the turn that a thread went round, does the same in the memory of the end."""
        waits = self._waiting(state)
        self._require((-waits, self._all))
        for edge in _evaluation(state, end.wait_from):
            again = self._formula.solver.statement()
            self._require((-waits, -self._formula.taken(edge), again))
            self._maximality.last_write(edge.before.loc).demand(again, partial(eq, edge.read))
        return waits


def _evaluation(failed: State, wait_from: int) -> Iterator[Edge]:
    """The loads of a failed wait, on any way that leads to its end."""
    seen: set[int] = set()
    todo = [failed]
    while todo:
        for edge in todo.pop().entries:
            if edge.number not in seen and edge.before.depth >= wait_from:
                seen.add(edge.number)
                todo.append(edge.before)
                if edge.before.reads:
                    yield edge
