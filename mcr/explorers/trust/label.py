"""Labels of execution graphs, as far as they depend on their own thread only."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcr.executions.relations import preceding
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId


@dataclass(slots=True, eq=False)
class EventLabel:
    """An event without rf and co: what a thread does in one local state; an update is a read and a write.

    state      the local state before it
    after      the local state that follows, where that does not depend on what it reads
    position   its place in the program order of its thread
    loc        its location; NOTHING for fences, choices and joins
    where      the name of its location
    reads      whether it takes a value from memory
    starts     whether it is the start of a spawned thread, which waits to be spawned
    value      value id that it writes, NOTHING if it writes nothing
    updates    whether it is half of an update
    joins      the thread that it joins, else NOTHING
    chosen     value id of the input that it chooses, else NOTHING
    number     position in the order in which labels were made
    ppo        positions of the events before it in ppo, without those that others imply
    before     positions of all of them, as bits
    stores     positions of its thread's earlier writes to the location
    """

    number: int
    state: State
    previous: EventLabel | None
    access: Access
    thread: int = field(init=False)
    position: int = field(init=False)
    after: State | None = None
    loc: LocationId = NOTHING
    where: str = ""
    reads: bool = False
    starts: bool = False
    value: ValueId = NOTHING
    updates: bool = False
    joins: int = NOTHING
    chosen: ValueId = NOTHING
    ppo: list[int] = field(default_factory=list)
    before: int = 0
    stores: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.thread = self.state.thread
        self.position = self.previous.position + 1 if self.previous else 0

    def settle(self, model: MemoryModel) -> EventLabel:
        """Find out how it is ordered with the events before it."""
        line: list[EventLabel] = []
        earlier = self.previous
        while earlier is not None:
            line.append(earlier)
            earlier = earlier.previous
        self.stores = tuple(each.position for each in line if each.value != NOTHING and each.loc == self.loc)
        line.reverse()

        def keeps(position: int) -> bool:
            return model.keeps(line[position].access, self.access, line[position].where, self.where)

        self.ppo, self.before = preceding([each.before for each in line], keeps)
        return self


class Labels:
    """The events of all histories, each made when it is first met."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding = unfolding
        self._model = model
        self._at: dict[tuple[int, int], EventLabel] = {}
        self._taking: dict[tuple[int, int], EventLabel] = {}
        self._made = 0

    def at(self, state: State, previous: EventLabel | None) -> EventLabel:
        """Returns the next label of a thread in a state that chooses no input; the read, if it is an update."""
        key = (NOTHING if previous is None else previous.number, state.number)
        found = self._at.get(key)
        if found is None:
            found = self._at[key] = self._make(state, previous)
        return found

    def _new(self, state: State, previous: EventLabel | None, access: Access) -> EventLabel:
        self._made += 1
        return EventLabel(self._made, state, previous, access)

    def _make(self, state: State, previous: EventLabel | None) -> EventLabel:
        operation = state.operation
        assert operation is not None
        event = self._new(state, previous, operation.access)
        event.where = operation.where
        event.updates = operation.kind is Kind.UPDATE
        if operation.kind is Kind.JOIN:
            target = self._unfolding.thread(operation.target)
            assert target is not None
            event.joins = target.index
        elif state.reads:
            self._unfolding.refuse_look_at_end(state)
            event.reads = True
            event.starts = operation.kind is Kind.START
            event.loc = state.loc
        else:
            event.value = state.stored
            event.loc = state.loc if event.value != NOTHING else NOTHING
            event.after = self._unfolding.step(state).after
        return event.settle(self._model)

    def write(self, step: Edge, read: EventLabel) -> EventLabel:
        """The write of an update that takes a step."""
        key = (read.number, step.number)
        found = self._taking.get(key)
        if found is None:
            found = self._new(read.state, read, read.access)
            found.updates = True
            found.loc, found.where = read.loc, read.where
            found.value = step.wrote
            found.after = step.after
            self._taking[key] = found.settle(self._model)
        return found

    def choice(self, step: Edge, previous: EventLabel | None) -> EventLabel:
        """The choice of an input, which takes a step."""
        key = (NOTHING if previous is None else previous.number, step.number)
        found = self._taking.get(key)
        if found is None:
            found = self._taking[key] = self._new(step.before, previous, Access.LOCAL)
            found.after = step.after
            found.chosen = step.read
        return found
