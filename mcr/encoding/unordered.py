"""Executions that no order of their operations explains: those that SC does not have.

The trace of an execution is po with rf, co and fr, and it is one of SC if and only if these have no cycle (Shasha and
Snir 1988; [alglave-2013] section 4, [bui-2021] section 2). Here a cycle is guessed: some events are selected, and each
has a selected event after it, along po or a conflict between two threads. Who is first in a conflict, the moments of
the memory model say: a write before another write, and before a read, has the smaller moment; a read comes before the
writes that follow its source, which is the same unless it was served from its own thread's buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcr.encoding.formula import Formula
from mcr.encoding.slot import Slot
from solvers.interface import Statement


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
        """What accesses memory, by thread, in program order."""
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
        """What is selected is executed, and its thread has gone on."""
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
        """What is selected has something selected after it; `later` says that something deeper in its thread is."""
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
