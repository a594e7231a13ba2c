"""F: every consistent partial execution over the known unfolding (docs/semantics.md 4, docs/algorithms.md).

| symbol        | here                              |
|---------------|-----------------------------------|
| en(n)         | `Formula.executed[n]`             |
| step e        | `Formula.taken(e)`                |
| rf(w, r)      | `Slot.sources`, `Slot.readers`    |
| co, fr        | `OrderSolver.order` of two events |
| frontier      | `Formula.fresh[n]`                |

Values flow from writers to readers: a step says what its thread read, the
source of that read must take a step that writes the value.

A state is reached by one of the steps that lead to it. At most one state of
each depth is: the first one is the only one, and a slot reads one value.
"""

from __future__ import annotations

from mcr.encoding.communication import Communication, Endings, Slot
from replay.code.terminals import Ended
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind, Operation
from solvers.interface import Disjunction, OrderSolver, Statement


def asks(state: State) -> bool:
    """Returns whether the state after this one depends on more than its thread."""
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
        self._taken: dict[int, Statement] = {}
        self._entered: dict[int, Disjunction] = {}
        self._edges = 0
        self.fresh: dict[int, Statement] = {}
        self.slot_of: list[Slot | None] = []
        self.communication = self._make_communication()
        self.endings = Endings(unfolding, solver, self.communication, self._place)
        self._slots: dict[object, Slot] = {}
        self._by_thread: dict[int, list[Slot]] = {}
        self._final = final
        self._goals = solver.open_disjunction(()) if goals else None
        self._new_goals: list[Statement] = []

    def _make_communication(self) -> Communication:
        return Communication(self.unfolding, self.solver)

    def grow(self) -> None:
        """Take in all that the unfolding gained."""
        states, edges = self.unfolding.states, self.unfolding.edges
        for number in range(len(self.executed), len(states)):
            self.unfolding.check()
            self._add_state(states[number])
        for edge in edges[self._edges :]:
            if edge.joins:
                self._add_edge(edge)
        self._edges = len(edges)
        if self._new_goals and self._goals is not None:
            self.solver.extend(self._goals, self._new_goals)
            self._new_goals = []

    def taken(self, edge: Edge) -> Statement:
        """The statement that a thread takes a step."""
        return self._taken[edge.number] if self.unfolding.options.merges else self.executed[edge.after.number]

    # -- states --------------------------------------------------------------

    def _leaves_out(self, thread: int) -> bool:
        return not self._final and self.unfolding.threads[thread].is_final

    def _add_state(self, state: State) -> None:
        executed = self.solver.statement()
        self.executed.append(executed)
        if self._leaves_out(state.thread):
            self.solver.require((-executed,))
            self.slot_of.append(None)
            for edge in state.entries[:1]:
                self._add_edge(edge)
            return
        if not state.entries:
            self.solver.require((executed,))
        elif self.unfolding.options.merges:
            self._entered[state.number] = self.solver.open_disjunction((-executed,))
            self._add_edge(state.entry)
        else:
            self._follows(state.entry, executed)
        if state.operation is None:
            self.slot_of.append(None)
            if isinstance(state.terminal, Ended):
                self.endings.add_state(state, executed)
            return
        slot = self._slot_for(state, state.operation)
        self.slot_of.append(slot)
        if self._goals is not None and self._may_go_on_otherwise(state):
            self._add_goal(state, slot, executed)

    def _may_go_on_otherwise(self, state: State) -> bool:
        """Returns whether a state may have a step that is not known."""
        return asks(state) or not state.edges

    def _add_edge(self, edge: Edge) -> None:
        """A step that leads to a state, beside others that may."""
        solver, after = self.solver, edge.after.number
        if self._leaves_out(edge.before.thread):
            self._taken[edge.number] = self.executed[after]
            return
        taken = self._taken[edge.number] = solver.statement()
        solver.extend(self._entered[after], (taken,))
        solver.require((-taken, self.executed[after]))
        self._follows(edge, taken)

    def _follows(self, edge: Edge, taken: Statement) -> None:
        """A step requires the state before it, and that its operation read what it read."""
        solver, before = self.solver, edge.before
        slot = self.slot(before)
        solver.require((-taken, self.executed[before.number]))
        solver.require((-taken, slot.done))
        fresh = self.fresh.get(before.number)
        if edge.read != NOTHING:
            value = self._takes(slot, edge)
            solver.require((-taken, value))
            if fresh is not None:
                solver.require((-fresh, -value))
        elif fresh is not None:
            solver.require((-fresh,))
        if edge.wrote != NOTHING:
            self.communication.add_write(slot, edge.wrote, taken)

    def _takes(self, slot: Slot, edge: Edge) -> Statement:
        """The statement that a slot reads (or chooses) what a step has read."""
        return self.communication.reads_value(slot, edge.read)

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

    def slot(self, state: State) -> Slot:
        """The slot of the next operation of a state that has one."""
        slot = self.slot_of[state.number]
        assert slot is not None
        return slot

    def slots_of(self, thread: int) -> list[Slot]:
        """The slots of a thread that have a moment."""
        return self._by_thread.get(thread, [])

    def _slot_for(self, state: State, operation: Operation) -> Slot:
        key = (state.thread, state.depth, operation.called, operation.ready, state.loc, state.inputs)
        slot = self._slots.get(key)
        if slot is None:
            done = self.solver.statement()
            slot = self._slots[key] = Slot(
                state.thread, state.depth, state.loc, operation.access, operation.kind, done,
                where=operation.where, reads=state.reads, ready=operation.ready,
            )  # fmt: skip
            self._introduce(slot, state)
        return slot

    def _introduce(self, slot: Slot, state: State) -> None:
        """Tell the solver about a new slot."""
        if slot.kind is Kind.CHOOSE:
            inputs = [self.communication.reads_value(slot, value) for value in state.inputs]
            self.solver.require((-slot.done, *inputs))
            return
        self._place(slot)
        if slot.kind is Kind.UPDATE:
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
            target = self.unfolding.thread(state.asked.target)
            assert target is not None
            self.endings.await_end(target.index)
        elif slot.kind is Kind.FINAL:
            self.endings.add_final(slot)
        elif slot.kind is Kind.LOAD:
            self.endings.look_at(slot)

    def _place(self, slot: Slot) -> None:
        """Give the slot a moment, ordered with the other slots of its thread as ppo says."""
        slot.event = self.solver.event()
        others = self._by_thread.setdefault(slot.thread, [])
        for other in others:
            earlier, later = (other, slot) if other.depth < slot.depth else (slot, other)
            if earlier.depth == later.depth:
                continue
            if self.model.keeps(earlier.access, later.access, earlier.where, later.where):
                guard = later.done if self.model.bridges(earlier.access, later.access) else 0
                self.solver.precedes(earlier.event, later.event, guard)
        others.append(slot)
