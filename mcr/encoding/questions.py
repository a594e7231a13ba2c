"""Questions about all executions, once the unfolding is complete: each adds a requirement to the formula.

`require_deadlock`: an execution ends in a deadlock (docs/semantics.md 6, `replay.traces.liveness`).

`Races`: two accesses of a plain cell that nothing orders come last, one after the other. What depends on neither is
left out of the execution, and nothing in it depends on them, by ppo or rf (docs/robustness.md). So either may be the
last one.

`Unordered`: no order of an execution's operations explains it, as SC does not have it. Its trace is po with rf, co and
fr, and it is one of SC if and only if these have no cycle (Shasha and Snir 1988; [alglave-2013] section 4, [bui-2021]
section 2). Here a cycle is guessed: some events are selected, and each has a selected event after it, along po or a
conflict between two threads. Who is first in a conflict, the moments of the memory model say: a write before another
write, and before a read, has the smaller moment; a read comes before the writes that follow its source, which is the
same unless it was served from its own thread's buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement
from operator import eq
from typing import NamedTuple

from mcr.encoding.communication import Slot
from mcr.encoding.formula import Formula
from mcr.encoding.maximality import Maximality
from replay.code.terminals import Blocked, Ended
from replay.machine.state import Edge, State
from replay.traces.liveness import is_given_back
from replay.world.memory_model import Access
from replay.world.operation import LOCK, Kind, Source
from solvers.interface import Statement


def require_deadlock(formula: Formula, maximality: Maximality) -> None:
    """Require that a thread waits for what can never come.

    To be added once the unfolding is complete: nothing new is read any more.
    """
    _Deadlock(formula, maximality).require()


class _Deadlock:
    """Threads that wait for ever, each for others of them or for no thread at all.

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
        operation, executed = state.asked, self._formula.executed[state.number]
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


class Spot(NamedTuple):
    """Accesses of one location that a reader calls the same: their line, and what they do."""

    where: str
    line: Source | None
    access: Access
    writes: bool


class Racing(NamedTuple):
    """A statement that accesses of two spots race, and for any two slots which of them do."""

    some: Statement
    pairs: list[tuple[Statement, Slot, Slot]]


class Races:
    """Asks a formula, whose unfolding is complete, for races between spots of plain cells."""

    def __init__(self, formula: Formula, plain: frozenset[str] | None) -> None:
        """`plain` names the plain cells; with None, all cells are."""
        self._formula = formula
        self._solver = formula.solver
        self._slots: dict[Spot, dict[Slot, list[State]]] = {}
        self._last: dict[Slot, Statement] = {}
        for state in formula.unfolding.states:
            self._add(state, plain)

    def _add(self, state: State, plain: frozenset[str] | None) -> None:
        slot, operation = self._formula.slot_of[state.number], state.operation
        if slot is None or operation is None or not (slot.reads or slot.writes) or not state.edges:
            return
        if operation.location is None or (plain is not None and operation.where not in plain):
            return
        spot = Spot(operation.where, operation.source, slot.access, bool(slot.writes))
        self._slots.setdefault(spot, {}).setdefault(slot, []).append(state)

    def pairs(self) -> Iterator[tuple[Spot, Spot]]:
        """Yields the pairs that conflict: one of them writes, and not both are synchronisation."""
        spots = sorted(self._slots, key=lambda spot: (spot.where, str(spot.line), spot.access.value, spot.writes))
        for one, other in combinations_with_replacement(spots, 2):
            accesses = {one.access, other.access}
            if one.where == other.where and (one.writes or other.writes) and accesses != {Access.BARRIER}:
                yield one, other

    def between(self, one: Spot, other: Spot) -> Racing:
        """Returns what to ask for so that two such accesses race."""
        solver = self._solver
        found: list[tuple[Statement, Slot, Slot]] = []
        for first in self._slots[one]:
            for second in self._slots[other]:
                if first.thread != second.thread and first.loc == second.loc:
                    race = solver.statement()
                    self._require(race, first, one, second)
                    self._require(race, second, other, first)
                    solver.require((-race, *(slot.writes for slot in (first, second) if slot.writes)))
                    found.append((race, first, second))
        some = solver.statement()
        solver.require((-some, *(race for race, _, _ in found)))
        return Racing(some, found)

    def _require(self, race: Statement, slot: Slot, spot: Spot, other: Slot) -> None:
        """In a race, a slot is executed from that line, and comes last.

        What an update reads decides whether it writes, so it reads what is there when it does come last.
        """
        solver = self._solver
        solver.require((-race, self._comes_last(slot)))
        states = self._slots[spot][slot]
        steps = [self._formula.taken(edge) for state in states for edge in state.edges.values()]
        solver.require((-race, *steps))
        if slot.access is Access.BARRIER:
            for writer in self._formula.communication.writers.get(slot.loc, ()):
                if writer is not other and writer.thread != slot.thread:
                    solver.require((-race, -writer.writes, solver.order(writer.event, slot.event)))

    def _comes_last(self, slot: Slot) -> Statement:
        """The statement that a slot is executed and nothing depends on it, by ppo or rf."""
        known = self._last.get(slot)
        if known is not None:
            return known
        solver, keeps = self._solver, self._formula.model.keeps
        last = self._last[slot] = solver.statement()
        solver.require((-last, slot.done))
        for later in self._formula.slots_of(slot.thread):
            if later.depth > slot.depth and keeps(slot.access, later.access, slot.where, later.where):
                solver.require((-last, -later.done))
        for reader, reads_from in slot.readers:
            if reader.thread != slot.thread:
                solver.require((-last, -reads_from))
        for source, reads_from in slot.sources:
            if source is not None and source.thread == slot.thread:  # out of memory, not out of the buffer
                solver.require((-last, -reads_from, solver.order(source.event, slot.event)))
        return last


class Unordered:
    """Requires of a formula, whose unfolding is complete, that an execution has a cycle."""

    def __init__(self, formula: Formula) -> None:
        self._formula = formula
        self._solver = formula.solver
        self._lines = self._slots_of_threads()
        self._selected = {slot: self._solver.statement() for line in self._lines for slot in line}
        self._conflicts: dict[Slot, list[tuple[Statement, Slot]]] = {slot: [] for slot in self._selected}
        self._require()

    def cycle(self) -> list[Slot]:
        """The events of a cycle of the proposed execution, each before the next one, the last before the first."""
        holds = self._solver.holds
        way = [next(slot for slot, selected in self._selected.items() if holds(selected))]
        while True:
            following = self._after(way[-1])
            if following in way:
                return way[way.index(following) :]
            way.append(following)

    def _after(self, slot: Slot) -> Slot:
        holds = self._solver.holds
        for statement, other in self._conflicts[slot]:
            if holds(statement):
                return other
        line = next(line for line in self._lines if slot in line)
        return next(other for other in line if other.depth > slot.depth and holds(self._selected[other]))

    def _slots_of_threads(self) -> list[list[Slot]]:
        """Returns the accesses to memory by thread, in program order."""
        found: dict[int, dict[Slot, None]] = {}
        communication = self._formula.communication
        for slots in (*communication.readers.values(), *communication.writers.values()):
            for slot in slots:
                found.setdefault(slot.thread, {})[slot] = None
        return [sorted(line, key=lambda slot: slot.depth) for line in found.values()]

    # -- requirements --------------------------------------------------------

    def _require(self) -> None:
        self._require_executed()
        for slots in self._by_location():
            for one in slots:
                for other in slots:
                    if one.thread != other.thread and (one.writes or other.writes):
                        self._add_conflict(one, other)
        for line in self._lines:
            self._require_successors(line)
        self._solver.require(list(self._selected.values()))

    def _by_location(self) -> Iterator[list[Slot]]:
        communication = self._formula.communication
        for loc in {**communication.readers, **communication.writers}:
            found = (*communication.readers.get(loc, ()), *communication.writers.get(loc, ()))
            yield list(dict.fromkeys(found))

    def _require_executed(self) -> None:
        """Requires that a selected event is executed, and its thread has gone on."""
        steps: dict[Slot, list[Statement]] = {}
        for state in self._formula.unfolding.states:
            slot = self._formula.slot_of[state.number]
            if slot is not None and slot in self._selected:
                steps.setdefault(slot, []).extend(map(self._formula.taken, state.edges.values()))
        for slot, selected in self._selected.items():
            done = [slot.done] if slot.kind is None else steps.get(slot, [])
            self._solver.require((-selected, *done))
            self._solver.require((-selected, slot.done))

    def _add_conflict(self, one: Slot, other: Slot) -> None:
        """`one` may come before `other`, of another thread."""
        require, order = self._solver.require, self._solver.order
        before = self._solver.statement()
        self._conflicts[one].append((before, other))
        require((-before, self._selected[other]))
        require((-before, order(one.event, other.event)))
        require((-before, *(slot.writes for slot in (one, other) if slot.writes)))
        if one.writes:
            return
        for source, reads_from in one.sources:
            if source is not None and source.thread == one.thread:
                require((-before, -reads_from, order(source.event, other.event)))

    def _require_successors(self, line: list[Slot]) -> None:
        """Requires a selected event after each selected one; `later` says that something deeper in its thread is
        selected."""
        later: Statement = 0
        depths = sorted({slot.depth for slot in line}, reverse=True)
        for depth in depths:
            here = [slot for slot in line if slot.depth == depth]
            for slot in here:
                conflicts = [statement for statement, _ in self._conflicts[slot]]
                self._solver.require((-self._selected[slot], *([later] if later else []), *conflicts))
            following = self._solver.statement()
            deeper = [later] if later else []
            self._solver.require((-following, *(self._selected[slot] for slot in here), *deeper))
            later = following
