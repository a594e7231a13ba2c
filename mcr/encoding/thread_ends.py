"""The ends of threads: what joins and the final function wait for."""

from __future__ import annotations

from collections.abc import Callable

from mcr.encoding.communication import Communication
from mcr.encoding.slot import Slot
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access
from solvers.interface import Disjunction, OrderSolver, Statement


class Endings:
    """Turns ends of threads into slots, once somebody waits for them.

    The end of a thread acts as a draining store of what it returned, to a
    location of its own: a join reads it, the final function requires it.
    `place` gives a slot its moment among the slots of its thread.
    """

    def __init__(
        self, unfolding: Unfolding, solver: OrderSolver, communication: Communication, place: Callable[[Slot], None]
    ) -> None:
        self._unfolding = unfolding
        self._solver = solver
        self._communication = communication
        self._place = place
        self._states: dict[int, list[tuple[State, Statement]]] = {}
        self._slots: dict[tuple[int, int], Slot] = {}
        self._awaited: set[int] = set()
        self._ended_in: dict[int, Statement] = {}
        self._ended: dict[int, tuple[Statement, Disjunction]] = {}
        self._final: Slot | None = None
        self.spawns: list[Slot] = []
        """Slots that start a thread."""

    def slots(self) -> list[Slot]:
        """All ends that became slots."""
        return list(self._slots.values())

    def add_state(self, state: State, executed: Statement) -> None:
        """A state in which a thread ended."""
        self._states.setdefault(state.thread, []).append((state, executed))
        if state.thread in self._awaited:
            self._write(state, executed)

    def ended(self, state: State) -> Statement | None:
        """The statement that a thread ended in `state`, its stores in memory; None if nobody waits for it."""
        return self._ended_in.get(state.number)

    def awaits(self, thread: int) -> bool:
        """Whether somebody waits for the end of a thread."""
        return thread in self._awaited

    def await_end(self, thread: int) -> None:
        """Somebody waits for the end of a thread."""
        if thread not in self._awaited:
            self._awaited.add(thread)
            for state, executed in self._states.get(thread, ()):
                self._write(state, executed)

    def add_spawn(self, slot: Slot) -> None:
        """A slot that starts thread `slot.child`."""
        self.spawns.append(slot)
        if self._final is not None:
            self._require_spawned(self._final, slot)

    def add_final(self, final: Slot) -> None:
        """The final function starts when all threads that were started have ended."""
        self._final = final
        for info in self._unfolding.threads:
            if not info.is_final:
                self.await_end(info.index)
            if info.is_declared:
                self._solver.require((-final.done, self._has_ended(info.index)))
        for end in self._slots.values():
            self._precede(end, final)
        for spawn in self.spawns:
            self._require_spawned(final, spawn)

    def _require_spawned(self, final: Slot, spawn: Slot) -> None:
        self.await_end(spawn.child)
        self._solver.require((-final.done, -spawn.done, self._has_ended(spawn.child)))

    def _has_ended(self, thread: int) -> Statement:
        """The statement that a thread came to its end."""
        if thread not in self._ended:
            statement = self._solver.statement()
            self._ended[thread] = (statement, self._solver.open_disjunction((-statement,)))
        return self._ended[thread][0]

    def _precede(self, end: Slot, final: Slot) -> None:
        self._has_ended(end.thread)
        self._solver.extend(self._ended[end.thread][1], (end.done,))
        self._solver.precedes(end.event, final.event)

    def _write(self, state: State, executed: Statement) -> None:
        """Treat the end of a thread as a draining store of what it returned."""
        key = (state.thread, state.depth)
        slot = self._slots.get(key)
        if slot is None:
            location = self._unfolding.threads[state.thread].end
            slot = Slot(state.thread, state.depth, location, Access.BARRIER, None, self._solver.statement())
            slot.writes = slot.done
            self._slots[key] = slot
            self._place(slot)
            self._communication.add_writer(slot)
            if self._final is not None:
                self._precede(slot, self._final)
        ended = self._ended_in[state.number] = self._solver.statement()
        self._solver.require((-ended, executed))
        self._solver.require((-ended, slot.done))
        self._communication.add_write(slot, self._unfolding.returned(state), ended)
