"""Events of execution graphs, as far as they depend on their own thread only."""

from __future__ import annotations

from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import UPDATES, Kind
from replay.world.values import ValueId


class Event:
    """What a thread does in one local state; an update is two of them, a read and a write.

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
    arbitrary  whether it chooses another input than the first
    ppo        positions of the events before it in ppo, without those that others imply
    stores     positions of its thread's earlier writes to the location
    """

    __slots__ = (
        "access", "after", "arbitrary", "joins", "loc", "position", "ppo", "previous", "reads", "starts", "state",
        "stores", "thread", "updates", "value", "where",
    )  # fmt: skip

    def __init__(self, state: State, previous: Event | None, access: Access) -> None:
        self.state = state
        self.thread = state.thread
        self.after: State | None = None
        self.access = access
        self.loc: LocationId = NOTHING
        self.where = ""
        self.reads = False
        self.starts = False
        self.value: ValueId = NOTHING
        self.updates = False
        self.joins = NOTHING
        self.arbitrary = False
        self.previous = previous
        self.position: int = previous.position + 1 if previous else 0
        self.ppo: tuple[int, ...] = ()
        self.stores: tuple[int, ...] = ()

    def settle(self, model: MemoryModel) -> Event:
        """Find out how it is ordered with the events before it."""
        ppo: list[int] = []
        stores: list[int] = []
        implied: set[int] = set()
        earlier = self.previous
        while earlier is not None:
            if earlier.position in implied:
                implied.update(earlier.ppo)
            elif model.keeps(earlier.access, self.access, earlier.where, self.where):
                ppo.append(earlier.position)
                implied.update(earlier.ppo)
            if earlier.value != NOTHING and earlier.loc == self.loc:
                stores.append(earlier.position)
            earlier = earlier.previous
        self.ppo = tuple(ppo)
        self.stores = tuple(stores)
        return self


class Events:
    """The events of all local states, each made when it is first met."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding = unfolding
        self._model = model
        self._at: dict[int, Event] = {}
        self._leading_to: dict[int, Event] = {}

    def at(self, state: State, previous: Event | None) -> Event:
        """What a thread does next in a state that chooses no input; the read, if it is an update."""
        found = self._at.get(state.number)
        if found is None:
            found = self._at[state.number] = self._make(state, previous)
        return found

    def _make(self, state: State, previous: Event | None) -> Event:
        operation = state.operation
        assert operation is not None
        event = Event(state, previous, operation.access)
        event.where = operation.where
        event.updates = operation.kind in UPDATES
        if operation.kind is Kind.JOIN:
            target = self._unfolding.thread(operation.target)
            assert target is not None
            event.joins = target.index
        elif state.reads:
            event.reads = True
            event.starts = operation.kind is Kind.START
            event.loc = state.loc
        else:
            event.value = state.stored
            event.loc = state.loc if event.value != NOTHING else NOTHING
            event.after = self._unfolding.step(state)
        return event.settle(self._model)

    def write(self, after: State, read: Event) -> Event:
        """The write of an update that leads to the state `after`."""
        found = self._leading_to.get(after.number)
        if found is None:
            found = Event(read.state, read, read.access)
            found.updates = True
            found.loc, found.where = read.loc, read.where
            found.value = after.wrote
            found.after = after
            self._leading_to[after.number] = found.settle(self._model)
        return found

    def choice(self, after: State, previous: Event | None) -> Event:
        """The choice of an input that leads to the state `after`."""
        found = self._leading_to.get(after.number)
        if found is None:
            assert after.parent is not None
            found = Event(after.parent, previous, Access.LOCAL)
            found.after = after
            found.arbitrary = after.read != after.parent.inputs[0]
            self._leading_to[after.number] = found
        return found
