"""F: every consistent partial execution over the known unfolding (docs/semantics.md 4, docs/algorithms.md).

| symbol        | here                              |
|---------------|-----------------------------------|
| en(n)         | `Formula.executed[n]`             |
| rf(w, r)      | `Slot.sources`, `Slot.readers`    |
| co, fr        | `OrderSolver.order` of two events |
| frontier      | `Formula.fresh[n]`                |

Values flow from writers to readers: a state says what its thread read, the
source of that read must be executed in a state that writes the value.
"""

from __future__ import annotations

from mcr.encoding.communication import Communication
from mcr.encoding.slot import Slot
from mcr.encoding.thread_ends import Endings
from replay.code.thread_run import Ended
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import UPDATES, Kind, Operation
from solvers.interface import OrderSolver, Statement

_GUARDED = (Access.BARRIER, Access.STORE_BARRIER)
"""Accesses whose program order only binds when they are executed (docs/algorithms.md, "Slots")."""


def asks(state: State) -> bool:
    """Whether what follows a state depends on more than its thread."""
    return state.reads or bool(state.inputs) or (state.operation is not None and state.operation.kind is Kind.FINAL)


class Formula:
    """The formula of one program under one memory model, growing with the unfolding.

    executed  by state number: the statement that the state is reached
    fresh     by state number, where the next operation has several results:
              the statement that it is executed and has one that it never had;
              where it has one only and was never executed: that the state is reached
    slot_of   by state number: the slot of the state's next operation
    """

    def __init__(
        self, unfolding: Unfolding, model: MemoryModel, solver: OrderSolver, *, goals: bool = True, final: bool = True
    ) -> None:
        """With `goals`, an assignment must reach something fresh; without, it may, and `fresh` stays empty.

        Without `final`, the final function is left out.
        """
        self.unfolding = unfolding
        self.model = model
        self.solver = solver
        self.executed: list[Statement] = []
        self.fresh: dict[int, Statement] = {}
        self.slot_of: list[Slot | None] = []
        self.communication = Communication(unfolding, solver)
        self.endings = Endings(unfolding, solver, self.communication, self._place)
        self._slots: dict[object, Slot] = {}
        self._by_thread: dict[int, list[Slot]] = {}
        self._final = final
        self._goals = solver.open_disjunction(()) if goals else None
        self._new_goals: list[Statement] = []

    def grow(self) -> None:
        """Take in all states that the unfolding gained."""
        states = self.unfolding.states
        for number in range(len(self.executed), len(states)):
            self.unfolding.check()
            self._add_state(states[number])
        if self._new_goals and self._goals is not None:
            self.solver.extend(self._goals, self._new_goals)
            self._new_goals = []

    # -- states --------------------------------------------------------------

    def _add_state(self, state: State) -> None:
        executed = self.solver.statement()
        self.executed.append(executed)
        if not self._final and self.unfolding.threads[state.thread].is_final:
            self.solver.require((-executed,))
            self.slot_of.append(None)
            return
        if state.parent is None:
            self.solver.require((executed,))
        else:
            self._follows(state, state.parent, executed)
        if state.operation is None:
            self.slot_of.append(None)
            if isinstance(state.terminal, Ended):
                self.endings.add_state(state, executed)
            return
        slot = self._slot(state, state.operation)
        self.slot_of.append(slot)
        if self._goals is not None and (asks(state) or not state.children):
            self._add_goal(state, slot, executed)

    def _follows(self, state: State, parent: State, executed: Statement) -> None:
        """A state requires the state before it, and that its operation read what it read."""
        solver = self.solver
        slot = self.slot_of[parent.number]
        assert slot is not None
        solver.require((-executed, self.executed[parent.number]))
        solver.require((-executed, slot.done))
        fresh = self.fresh.get(parent.number)
        if state.read != NOTHING:
            value = self.communication.reads_value(slot, state.read)
            solver.require((-executed, value))
            if fresh is not None:
                solver.require((-fresh, -value))
        elif fresh is not None:
            solver.require((-fresh,))
        if state.wrote != NOTHING:
            self.communication.add_write(slot, state.wrote, executed)

    def _add_goal(self, state: State, slot: Slot, executed: Statement) -> None:
        fresh = self.fresh[state.number] = self.solver.statement()
        self.solver.require((-fresh, executed))
        if asks(state):
            self.solver.require((-fresh, slot.done))
        self._new_goals.append(fresh)

    def goal(self, state: State) -> Statement | None:
        """The statement that a thread, having come as far as `state`, reads there what it never read before."""
        if self._goals is not None:
            return self.fresh.get(state.number)
        slot = self.slot_of[state.number]
        return slot.done if slot is not None else None

    # -- slots ---------------------------------------------------------------

    def _slot(self, state: State, operation: Operation) -> Slot:
        key = (state.thread, state.depth, operation.kind, state.loc, state.inputs)
        slot = self._slots.get(key)
        if slot is None:
            done = self.solver.statement()
            slot = Slot(state.thread, state.depth, state.loc, operation.access, operation.kind, done)
            slot.where = operation.where
            slot.reads = state.reads
            slot.ready = operation.ready
            self._slots[key] = slot
            self._introduce(slot, state)
        return slot

    def _introduce(self, slot: Slot, state: State) -> None:
        """Tell the solver about a new slot."""
        if slot.kind is Kind.CHOOSE:
            inputs = [self.communication.reads_value(slot, value) for value in state.inputs]
            self.solver.require((-slot.done, *inputs))
            return
        self._place(slot)
        if slot.kind in UPDATES:
            slot.writes = self.solver.statement()
            self.solver.require((-slot.writes, slot.done))
        elif state.stored != NOTHING:
            slot.writes = slot.done
        if slot.reads:
            self.communication.add_reader(slot)
        if slot.writes:
            self.communication.add_writer(slot)
        self._introduce_threads(slot, state)

    def _introduce_threads(self, slot: Slot, state: State) -> None:
        if slot.kind is Kind.SPAWN:
            slot.child = self.unfolding.child_of_spawn(state).index
            self.endings.add_spawn(slot)
        elif slot.kind is Kind.JOIN:
            assert state.operation is not None
            target = self.unfolding.thread(state.operation.target)
            assert target is not None
            self.endings.await_end(target.index)
        elif slot.kind is Kind.FINAL:
            self.endings.add_final(slot)

    def _place(self, slot: Slot) -> None:
        """Give the slot a moment, ordered with the other slots of its thread as ppo says."""
        slot.event = self.solver.event(slot.done if slot.access in _GUARDED else 0)
        others = self._by_thread.setdefault(slot.thread, [])
        for other in others:
            earlier, later = (other, slot) if other.depth < slot.depth else (slot, other)
            if earlier.depth == later.depth:
                continue
            if self.model.keeps(earlier.access, later.access, earlier.where, later.where):
                self.solver.precedes(earlier.event, later.event)
        others.append(slot)
