"""The formula of an unfolding on terms: F (`mcr.encoding.formula`), in which numbers flow as bits.

What [alglave-2013] calls rf-val is here: who reads a number from a store reads
the number that is stored. Program order, communication and barriers are F's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.encoding.communication import Communication, Slot
from mcr.encoding.formula import Formula, asks
from mcr.explorers.bmc.circuits import Circuits, Gates
from mcr.explorers.bmc.growth import NUMBER, as_part, number_read
from mcr.explorers.bmc.numbers import Numbers, Range, Shadows
from mcr.explorers.bmc.pairs import PairingSolver
from replay.code.running_thread import NOT_READY
from replay.code.terminals import Blocked, Cut, Failed
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.on_terms.symbols import Number
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind
from replay.world.terms import Part, Term
from replay.world.values import Case, ValueId
from solvers.interface import OrderSolver, Statement


class TooNarrow(Exception):
    """Numbers may be what their bits cannot say: the formula has to be made anew."""


class TermCommunication(Communication):
    """Reads-from on terms: who reads a number gets the bits of what was stored; other values are read as they are."""

    def __init__(
        self, unfolding: Unfolding, solver: OrderSolver, circuits: Circuits, shadows: Shadows, by_value: bool
    ) -> None:
        super().__init__(unfolding, solver)
        self._by_value = by_value
        self.circuits = circuits
        self._shadows = shadows
        self._flows: dict[Term, list[tuple[Part, tuple[Statement, ...]]]] = {}
        self._equated: dict[Term, int] = {}

    def reads_value(self, slot: Slot, value: ValueId) -> Statement:
        """The statement that the slot reads `value`, or is in this case."""
        known = slot.values.get(value)
        if known is not None:
            return known
        found = self._unfolding.values[value]
        if isinstance(found, Case):
            statement = slot.values[value] = self.circuits.gates.all_of(self._conditions_of(slot, found))
            return statement
        if type(found) is Number or (slot.reads and type(found) is int and not self._by_value):
            return self.reads_number(slot)
        return super().reads_value(slot, value)

    def reads_number(self, slot: Slot) -> Statement:
        """The statement that the slot reads, or takes, a number."""
        known = slot.values.get(NUMBER)
        return slot.add_value(NUMBER, self._solver, possible=True) if known is None else known

    def _conditions_of(self, slot: Slot, case: Case) -> Iterator[Statement]:
        """Yields the conditions of a case: what is read, and what was decided."""
        if case.value is not None or slot.reads or slot.kind is Kind.CHOOSE:
            yield self.reads_value(slot, self._unfolding.values.intern(case.value))
        for term, decided in case.decisions:
            if term.is_truth:
                yield self.circuits.truth(term) * (1 if decided else -1)
            else:
                yield self.circuits.equal(term, decided)

    def _connect(self, writer: Slot, reader: Slot, writers: list[Slot]) -> None:
        if writer.thread == reader.thread and writer.depth < self._hidden(reader):
            return
        super()._connect(writer, reader, writers)

    def _hidden(self, reader: Slot) -> int:
        return self._shadows.hides(reader.thread, reader.depth, reader.loc)

    def add_reader(self, slot: Slot) -> None:
        super().add_reader(slot)
        if self._hidden(slot) >= 0:
            self._solver.require((-slot.sources[0][1],))

    def passes(self, slot: Slot, value: ValueId, *unless: Statement) -> None:
        super().passes(slot, value, *unless)
        part = as_part(self._unfolding.values[value])
        if part is not None and not self._by_value:
            self._flows.setdefault(number_read(slot.thread, slot.depth, slot.loc), []).append((part, unless))

    def equate(self) -> None:
        """Let the numbers flow that were asked for, and those that they are computed from."""
        variables = self.circuits.variables
        done = -1
        while done != (done := len(variables)):
            for term in list(variables):
                flows = self._flows.get(term, [])
                for part, unless in flows[self._equated.get(term, 0) :]:
                    self._unfolding.check()
                    self.circuits.equate(term, part, unless)
                self._equated[term] = len(flows)


class TermFormula(Formula):
    """F over an unfolding on terms.

    Its goals are steps that are missing, failures, threads that are cut, and what `seek` adds.
    """

    def __init__(
        self,
        unfolding: Unfolding,
        model: MemoryModel,
        solver: OrderSolver,
        numbers: Numbers,
        *,
        by_value: bool = False,
    ) -> None:
        """`by_value`: who reads a number reads one of the values that were stored, and no term."""
        self._numbers = numbers
        self.by_value = by_value
        self._pairs = solver = PairingSolver(solver)
        self.circuits = Circuits(Gates(solver), numbers.of, numbers.only, unfolding.check)
        self._widths: dict[Term, Range] = {}
        super().__init__(unfolding, model, solver)

    def _make_communication(self) -> Communication:
        shadows = self._numbers.shadows
        self.terms = TermCommunication(self.unfolding, self.solver, self.circuits, shadows, self.by_value)
        return self.terms

    def grow(self) -> None:
        """Take in all that the unfolding gained. Raises TooNarrow if numbers have outgrown their bits."""
        self._numbers.grow()
        if not self._numbers.are_valid() or any(
            self._numbers.of(term) != known for term, known in self._widths.items()
        ):
            raise TooNarrow
        super().grow()
        self.terms.equate()
        self._pairs.close()
        for term in self.circuits.variables:
            self._widths.setdefault(term, self._numbers.of(term))

    def seek(self, statement: Statement) -> None:
        """Let it be a goal that a statement holds."""
        assert self._goals is not None
        self.solver.extend(self._goals, (statement,))

    def _may_go_on_otherwise(self, state: State) -> bool:
        return (
            asks(state) or not state.edges or any(isinstance(self._read(edge), Case) for edge in state.edges.values())
        )

    def _read(self, edge: Edge) -> object:
        return None if edge.read == NOTHING else self.unfolding.values[edge.read]

    def _add_state(self, state: State) -> None:
        super()._add_state(state)
        if isinstance(state.terminal, Failed | Cut):
            self._new_goals.append(self.executed[state.number])
        elif isinstance(state.terminal, Blocked) and state.terminal.reason == NOT_READY:
            self.solver.require((-self.executed[state.number],))

    def _introduce(self, slot: Slot, state: State) -> None:
        operation = state.asked
        if operation.spans:
            self.solver.require((-slot.done, self.terms.reads_number(slot)))
        else:
            super()._introduce(slot, state)

    def sizes(self) -> Iterator[tuple[str, int]]:
        """How many constraints of each kind there are, in the words of [alglave-2013] section 3.2."""
        writers, readers = self.communication.writers, self.communication.readers
        pairs = sum(_strangers(found, found) for found in writers.values()) // 2
        yield "events", self._pairs.events
        yield "program order", self._pairs.fixed
        yield "reads-from", sum(len(reader.sources) for found in readers.values() for reader in found)
        yield "write serialisation", pairs
        yield "from-read", sum(_strangers(found, writers.get(loc, [])) for loc, found in readers.items())
        yield "barriers", sum(slot.access is Access.BARRIER for slot in self._slots.values())
        yield "statements", self._pairs.statements
        yield "requirements", self._pairs.requirements


def _strangers(some: Sequence[Slot], others: Sequence[Slot]) -> int:
    """How many pairs of them are of two threads."""
    return sum(one.thread != other.thread for one in some for other in others)
