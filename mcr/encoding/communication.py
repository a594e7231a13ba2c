"""How slots communicate: reads-from, coherence, from-reads, and the ends of threads (docs/semantics.md 4).

Slots are where order and reads-from live (docs/algorithms.md, "Slots").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access
from replay.world.operation import Guard, Kind
from replay.world.values import ValueId
from solvers.interface import Disjunction, Event, OrderSolver, Statement

NO_STATEMENT: Statement = 0


@dataclass(slots=True, eq=False, repr=False)
class Slot:
    """Operations of one thread at one depth, alike but for the history before them.

    At most one of them is executed, so they share one event and whatever the
    solver learns about its order.

    kind     None for the end of a thread, which acts as a draining store of what it returned
    event    its moment: when it executes, or for a store when it commits
    where    the name of its location, "" if it has none
    done     statement: it is executed (committed, if a store)
    writes   statement: it is executed and writes something known; NO_STATEMENT if it never writes
    values   statement "it reads v", by value id
    written  statement "it writes v", by value id
    sources  whom it may read from and the statement that it does; None stands for the initial value
    readers  the inverse of sources
    """

    thread: int
    depth: int
    loc: int
    access: Access
    kind: Kind | None
    done: Statement
    event: Event = -1
    where: str = ""
    reads: bool = False
    writes: Statement = NO_STATEMENT
    ready: Guard | None = None
    child: int = -1
    values: dict[ValueId, Statement] = field(default_factory=dict)
    written: dict[ValueId, Statement] = field(default_factory=dict)
    sources: list[tuple[Slot | None, Statement]] = field(default_factory=list)
    readers: list[tuple[Slot, Statement]] = field(default_factory=list)
    read_chain: Statement = NO_STATEMENT
    causes: Disjunction = -1
    states: Disjunction = -1

    def add_value(self, value: ValueId, solver: OrderSolver, possible: bool) -> Statement:
        """Make the statement that the slot reads `value`, which excludes its other values.

        The exclusion is a chain: "one of the values so far was read".
        """
        statement = self.values[value] = solver.statement()
        if not possible:
            solver.require((-statement,))
            return statement
        chain = solver.statement()
        solver.require((-statement, chain))
        if self.read_chain:
            solver.require((-self.read_chain, chain))
            solver.require((-self.read_chain, -statement))
        self.read_chain = chain
        return statement


class Communication:
    """Adds the axioms between readers and writers as slots appear, in any order."""

    def __init__(self, unfolding: Unfolding, solver: OrderSolver) -> None:
        self._unfolding = unfolding
        self._solver = solver
        self.writers: dict[int, list[Slot]] = {}
        self.readers: dict[int, list[Slot]] = {}

    def reads_value(self, slot: Slot, value: ValueId) -> Statement:
        """The statement that the slot reads `value`."""
        known = slot.values.get(value)
        if known is not None:
            return known
        possible = slot.ready is None or slot.ready(self._unfolding.values[value])
        return slot.add_value(value, self._solver, possible)

    def passes(self, slot: Slot, value: ValueId, *unless: Statement) -> None:
        """Require that the slot reads `value`, unless one of these statements holds."""
        self._solver.require((*unless, self.reads_value(slot, value)))

    def add_reader(self, slot: Slot) -> None:
        """Let a new slot read the initial value and from every writer known."""
        solver = self._solver
        reads_initial = solver.statement()
        slot.sources.append((None, reads_initial))
        self.passes(slot, self._unfolding.initial[slot.loc], -reads_initial)
        slot.causes = solver.open_disjunction((-slot.done, reads_initial))
        writers = self.writers.setdefault(slot.loc, [])
        self.readers.setdefault(slot.loc, []).append(slot)
        for writer in writers:
            self._initial_before(slot, reads_initial, writer)
        for writer in writers:
            self._connect(writer, slot, writers)

    def add_writer(self, slot: Slot) -> None:
        """Order a new slot with the location's other writers, and let readers read from it."""
        solver = self._solver
        slot.states = solver.open_disjunction((-slot.writes,))
        writers = self.writers.setdefault(slot.loc, [])
        others = [reader for reader in self.readers.setdefault(slot.loc, []) if reader is not slot]
        for writer in writers:
            if writer.thread != slot.thread:
                solver.order(writer.event, slot.event)
        for reader in others:
            self._unfolding.check()
            self._initial_before(reader, reader.sources[0][1], slot)
            for source, reads_from in reader.sources[1:]:
                assert source is not None
                self._conditions(reader, source, reads_from, slot)
        writers.append(slot)
        for reader in others:
            self._connect(slot, reader, writers)

    def add_write(self, slot: Slot, value: ValueId, executed: Statement) -> None:
        """A state in which the slot wrote `value`; whoever reads from it reads that."""
        solver = self._solver
        solver.extend(slot.states, (executed,))
        solver.require((-executed, slot.writes))
        written = slot.written.get(value)
        if written is None:
            written = slot.written[value] = solver.statement()
            for reader, reads_from in slot.readers:
                self.passes(reader, value, -reads_from, -written)
        solver.require((-executed, written))

    def _connect(self, writer: Slot, reader: Slot, writers: list[Slot]) -> None:
        """Let `reader` read from `writer`."""
        self._unfolding.check()
        own = writer.thread == reader.thread
        if writer is reader or (own and writer.depth >= reader.depth):
            return
        solver = self._solver
        reads_from = solver.statement()
        if reader.kind is Kind.UPDATE:
            self._one_update_each(writer, reader, reads_from)
        reader.sources.append((writer, reads_from))
        writer.readers.append((reader, reads_from))
        solver.extend(reader.causes, (reads_from,))
        solver.require((-reads_from, writer.writes))
        if not own:
            solver.require((-reads_from, solver.order(writer.event, reader.event)))
        for value, written in writer.written.items():
            self.passes(reader, value, -reads_from, -written)
        for other in writers:
            if other is not writer and other is not reader:
                self._conditions(reader, writer, reads_from, other)

    def _one_update_each(self, writer: Slot, reader: Slot, reads_from: Statement) -> None:
        """Two updates that write cannot read from the same store.

        Follows from coherence and from-reads; said outright, it keeps long
        chains of updates out of the search.
        """
        for other, other_reads in writer.readers:
            if other.kind is Kind.UPDATE and other.thread != reader.thread:
                self._solver.require((-other_reads, -reads_from, -other.writes, -reader.writes))

    def _initial_before(self, reader: Slot, reads_initial: Statement, writer: Slot) -> None:
        """A slot that reads the initial value comes before every store of others, and has no own store before it."""
        if writer is reader:
            return
        if writer.thread != reader.thread:
            self._solver.require((-reads_initial, -writer.writes, self._solver.order(reader.event, writer.event)))
        elif writer.depth < reader.depth:
            self._solver.require((-reads_initial, -writer.writes))

    def _conditions(self, reader: Slot, source: Slot, reads_from: Statement, other: Slot) -> None:
        """Adds what a third slot that writes to the location means for `reader` reading from `source`."""
        if other.thread != reader.thread:
            self._from_read(reader, source, reads_from, other)
        elif source.thread == reader.thread:
            if source.depth < other.depth < reader.depth:
                # Only the latest own store may be read.
                self._solver.require((-reads_from, -other.writes))
        elif other.depth < reader.depth:
            # Own stores before a read from outside have committed before its source.
            before = self._solver.order(other.event, source.event)
            self._solver.require((-reads_from, -other.writes, before))

    def _from_read(self, reader: Slot, source: Slot, reads_from: Statement, other: Slot) -> None:
        """fr: the reader is before every store that coherence puts after its source."""
        solver = self._solver
        if other.thread != source.thread:
            after_source = solver.order(source.event, other.event)
            before = solver.order(reader.event, other.event)
            solver.require((-reads_from, -after_source, -other.writes, before))
        elif other.depth > source.depth:
            solver.require((-reads_from, -other.writes, solver.order(reader.event, other.event)))


class Endings:
    """Turns ends of threads into slots, once a thread waits for them.

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

    def slot(self, thread: int, depth: int) -> Slot | None:
        """The end of a thread after so many operations, None if it is none that became a slot."""
        return self._slots.get((thread, depth))

    def add_state(self, state: State, executed: Statement) -> None:
        """A state in which a thread ended."""
        self._states.setdefault(state.thread, []).append((state, executed))
        if state.thread in self._awaited:
            self._write(state, executed)
        elif self._unfolding.threads[state.thread].end in self._communication.readers:
            self.await_end(state.thread)

    def ended(self, state: State) -> Statement | None:
        """The statement that a thread ended in `state`, its stores in memory; None if no thread waits for it."""
        return self._ended_in.get(state.number)

    def awaits(self, thread: int) -> bool:
        """Returns whether an operation waits for the end of a thread."""
        return thread in self._awaited

    def await_end(self, thread: int) -> None:
        """Give the end of a thread a moment, since some operation waits for it."""
        if thread not in self._awaited:
            self._awaited.add(thread)
            for state, executed in self._states.get(thread, ()):
                self._write(state, executed)

    def look_at(self, slot: Slot) -> None:
        """A slot that may look whether a thread has ended."""
        for info in self._unfolding.threads:
            if info.end == slot.loc:
                self.await_end(info.index)

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
