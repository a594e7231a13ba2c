"""What an assignment says that the terms are, and the schedule that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mcr.encoding.seed import Candidate, Past
from mcr.encoding.slot import Slot
from mcr.executions.names import NamedChoice
from mcr.explorers.bmc.formula import TermFormula
from mcr.explorers.bmc.growth import NUMBER, as_part, input_taken, number_read
from replay.errors import InternalError
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, Edge, State
from replay.world.shown import shown
from replay.world.terms import INPUT, Term, evaluate
from replay.world.values import ValueId


class Valuation:
    """The values of one assignment: everything is computed from what was stored, and what was chosen."""

    def __init__(self, formula: TermFormula, candidate: Candidate) -> None:
        self._formula = formula
        self._candidate = candidate
        self._known: dict[int, Any] = {}
        self._slots: dict[Term, Slot] = {}
        for thread in range(len(candidate.paths)):
            for slot in candidate.slots(thread):
                if slot.reads and formula.solver.holds(slot.done):
                    self._slots[number_read(slot.thread, slot.depth, slot.loc)] = slot

    def __getitem__(self, term: Term) -> Any:
        """What a term is."""
        return evaluate(term, self._of_variable, self._known)

    def frozen(self) -> Callable[[Term], Any]:
        """The values, also when the solver has gone on."""
        numbers = {term: self._of_variable(term) for term in self._slots if self._is_number(term)}
        for term in self._formula.circuits.inputs:
            numbers[term] = self._of_variable(term)
        return lambda term: evaluate(term, lambda leaf: numbers.get(leaf, leaf.parts[1] if leaf.op == INPUT else 0))

    def _is_number(self, term: Term) -> bool:
        slot = self._slots[term]
        return as_part(self._stored(slot)) is not None

    def _of_variable(self, term: Term) -> int:
        if term.op == INPUT or term in self._formula.circuits.variables:
            return self._formula.circuits.value(term, self._formula.solver.holds)
        part = as_part(self._stored(self._slots[term]))
        assert part is not None
        return int(self[part]) if isinstance(part, Term) else int(part)

    def read(self, slot: Slot, state: State) -> ValueId:
        """What an operation reads or takes, `NUMBER` for a number; NOTHING if it does neither."""
        if state.inputs:
            return self._input(state)
        if not state.reads:
            return NOTHING
        value = self._stored(slot)
        return NUMBER if as_part(value) is not None else self._formula.unfolding.values.intern(value)

    def _stored(self, slot: Slot) -> object:
        """What the source of a read stored."""
        unfolding = self._formula.unfolding
        source = self._candidate.source(slot)
        if source is None:
            return unfolding.values[unfolding.initial[slot.loc]]
        path = self._candidate.paths[source.thread]
        if source.kind is None:
            return unfolding.values[unfolding.returned(path[source.depth])]
        return unfolding.values[self._step(path[source.depth]).wrote]

    def _step(self, state: State) -> Edge:
        for edge in state.edges.values():
            if self._formula.solver.holds(self._formula.taken(edge)):
                return edge
        raise InternalError("a store that is read was not executed")

    def schedule(self, past: Past, order: Sequence[int]) -> list[NamedChoice]:
        """The past as a schedule by names."""
        return list(self._named(past.schedule(order)))

    def _named(self, choices: Iterable[Choice]) -> Iterator[NamedChoice]:
        unfolding = self._formula.unfolding
        executed = [0] * len(unfolding.threads)
        for thread, commit, _ in choices:
            name = unfolding.thread_name(thread)
            if commit != NOTHING:
                yield NamedChoice(name, unfolding.locations[commit].name)
                continue
            state = self._candidate.paths[thread][executed[thread]]
            executed[thread] += 1
            yield NamedChoice(name, "", self._chosen(state) if state.inputs else "")

    def _chosen(self, state: State) -> str:
        base = self._input(state)
        return str(self[input_taken(state)]) if base == NUMBER else shown(self._formula.unfolding.values[base])

    def _input(self, state: State) -> ValueId:
        """What an operation takes, `NUMBER` for a number of a range."""
        operation, slot = state.operation, self._formula.slot_of[state.number]
        assert operation is not None and slot is not None
        if operation.spans:
            return NUMBER
        return next(value for value in state.inputs if self._formula.solver.holds(slot.values[value]))
