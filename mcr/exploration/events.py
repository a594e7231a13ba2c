"""An execution as a sequence of thread events, and who reads from whom ([bui-2021] 2, [agarwal-2021] 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mcr.executions.equivalence import OperationId
from mcr.exploration.completion import RunToEnd
from replay.errors import InternalError
from replay.machine.machine import Buffered, Choice, Machine
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import SCHEDULING, Kind
from replay.world.values import ValueId

Counts = dict[int, int]
"""A set of thread events that is closed under program order: by thread, how many."""


class ThreadEvent:
    """A thread event: an operation that is executed.

    source  whom it reads from, None for the initial value and for what reads no memory
    wrote   value id that it writes, at once or into its buffer; NOTHING if it writes nothing
    chosen  value id of the input that it chooses, else NOTHING
    reads   whether it reads what an access to memory wrote
    writes  whether it writes what accesses to memory read
    """

    __slots__ = ("chosen", "kind", "loc", "place", "reads", "source", "state", "writes", "wrote")

    def __init__(
        self, state: State, source: OperationId | None = None, wrote: ValueId = NOTHING, chosen: ValueId = NOTHING
    ) -> None:
        self.state = state
        self.source = source
        self.wrote = wrote
        self.chosen = chosen
        self.place: OperationId = (state.thread, state.depth)
        self.loc: LocationId = state.loc
        self.kind = state.asked.kind
        self.reads = state.reads_memory
        self.writes = wrote != NOTHING and self.kind not in SCHEDULING


def is_free(state: State) -> bool:
    """Returns whether more than the state decides what the next operation gets: it reads shared memory, or chooses."""
    return state.reads_memory or (state.operation is not None and state.operation.kind is Kind.CHOOSE)


def is_guarded(state: State) -> bool:
    """Returns whether the next operation is an update that waits for values that it may read."""
    operation = state.operation
    return operation is not None and operation.kind is Kind.UPDATE and operation.ready is not None


class GrowingTrace(RunToEnd):
    """An execution that grows: the machine, what led it there, and its events.

    Threads run one after the other, each as far as it goes; stores stay buffered until they have to go.

    events  the thread events (tau), in the order in which they were executed unless `arrange` gave them another
    """

    def __init__(self, unfolding: Unfolding, model: MemoryModel, *, covers_final: bool) -> None:
        """`covers_final` says whether what the final function does belongs to the events."""
        super().__init__(Machine(unfolding, model), retry_waits=False)
        self.events: list[ThreadEvent] = []
        self._at: dict[OperationId, ThreadEvent] = {}
        self._causes: dict[OperationId, tuple[OperationId, ...]] = {}
        self._written: dict[LocationId, OperationId] = {}
        self._spawns: dict[int, OperationId] = {}
        self._left_out = unfolding.final.index if unfolding.final and not covers_final else NOTHING
        self._freely = True

    def __getitem__(self, place: OperationId) -> ThreadEvent:
        return self._at[place]

    def __contains__(self, place: OperationId) -> bool:
        return place in self._at

    # -- growing -------------------------------------------------------------

    def follow(self, choices: Iterable[Choice]) -> None:
        """Make choices. Raises InternalError for one that is impossible."""
        for choice in choices:
            if not self.machine.is_possible(choice):
                why = self.machine.why_not(choice.thread)
                raise InternalError(f"the witness of a mutation is impossible: {choice}: {why}")
            self.play(choice)

    def arrange(self, places: Iterable[OperationId]) -> None:
        """Let the events so far come in this order."""
        self.events = [self._at[place] for place in places]

    def run_to_reads(self) -> None:
        """Run every thread as far as it goes without reading or choosing (`open_states`)."""
        self._freely = False
        self.run()

    def open_states(self) -> list[State]:
        """The threads whose next event reads or chooses."""
        return [state for state in self.machine.states if self._is_open(state)]

    def _is_open(self, state: State) -> bool:
        return state.thread != self._left_out and is_free(state)

    def _next(self, turn: int) -> int | None:
        return self._take_turn(turn)

    def _may_run(self, thread: int) -> bool:
        return super()._may_run(thread) and (self._freely or not self._is_open(self.machine.states[thread]))

    def _commit(self, thread: int, location: LocationId) -> Buffered:
        store = super()._commit(thread, location)
        self._written[location] = (thread, store.depth)
        return store

    def _run(self, thread: int, chosen: ValueId) -> Edge:
        machine = self.machine
        state, buffered = machine.states[thread], len(machine.buffers[thread])
        source = self.source_of(state)
        step = super()._run(thread, chosen)
        if step.wrote != NOTHING and len(machine.buffers[thread]) == buffered:
            self._written[state.loc] = (thread, state.depth)
        if thread != self._left_out:
            self._add(ThreadEvent(state, source, step.wrote, chosen))
        return step

    def source_of(self, state: State) -> OperationId | None:
        """Returns the source that a thread's next operation would read from now: its own buffered store, else
        memory."""
        if not state.reads:
            return None
        for store in reversed(self.machine.buffers[state.thread]):
            if store.location == state.loc:
                return (state.thread, store.depth)
        return self._written.get(state.loc)

    def _add(self, event: ThreadEvent) -> None:
        self._causes[event.place] = tuple(self._find_causes(event))
        self._at[event.place] = event
        self.events.append(event)
        if event.kind is Kind.SPAWN:
            self._spawns[self.machine.unfolding.child_of_spawn(event.state).index] = event.place

    # -- causality -----------------------------------------------------------

    def _find_causes(self, event: ThreadEvent) -> Iterator[OperationId]:
        """Events of other threads that an event waits for or reads from."""
        if event.reads and event.source is not None:
            yield event.source
        elif event.kind is Kind.START:
            yield self._spawns[event.state.thread]
        for thread in waits_for(self.machine.unfolding, event.state):
            depth = self.machine.states[thread].depth
            if depth:
                yield (thread, depth - 1)

    def past(self, thread: int, count: int) -> Counts:
        """The first operations of a thread, and what comes before them in the partial order P of lines 6 to 8."""
        counts: Counts = {}
        todo = [(thread, count)]
        while todo:
            thread, count = todo.pop()
            known = counts.get(thread, 0)
            for depth in range(known, count):
                todo += [(other, last + 1) for other, last in self._causes[thread, depth]]
            counts[thread] = max(count, known)
        return counts

    def blocked(self) -> list[State]:
        """The threads that wait, where nothing can run any more, for a value that they may read."""
        return [state for state in self.machine.states if is_guarded(state)]


def waits_for(unfolding: Unfolding, state: State) -> Sequence[int]:
    """The threads whose end an operation waits for."""
    operation = state.asked
    if operation.kind is Kind.FINAL:
        return [info.index for info in unfolding.threads if not info.is_final]
    if operation.kind is Kind.JOIN:
        target = unfolding.thread(operation.target)
        assert target is not None
        return [target.index]
    return ()


def contains(counts: Counts, place: OperationId) -> bool:
    return place[1] < counts.get(place[0], 0)


def union(one: Counts, other: Counts) -> Counts:
    return {thread: max(one.get(thread, 0), other.get(thread, 0)) for thread in {**one, **other}}
