"""The values of terms under an assignment, and the schedule that shows it.

`Prediction` is what thread code on terms says that an execution does, held against what it does on values. The guard
of code on terms lets nothing pass that could tell a term from a number (`replay.on_terms.natives`). Whether that is so
is seen here, for the numbers of each assignment that is run: the same operations, asked for by the same lines,
reading and writing the same, and the same ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcr.encoding.communication import Slot
from mcr.encoding.seed import Candidate, GoalPast
from mcr.executions.schedule import NamedChoice
from mcr.explorers.bmc.formula import TermFormula
from mcr.explorers.bmc.growth import NUMBER, as_part, input_taken, instantiated, number_read
from replay.code.terminals import Ended, Request
from replay.errors import InternalError
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, Edge, State
from replay.world.operation import SCHEDULING, Kind, Operation
from replay.world.shown import shown
from replay.world.terms import INPUT, Part, Term, evaluate, leaves
from replay.world.values import ValueId, ValueTable, canonical_key

_LOOKS = frozenset({Kind.LOAD, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE})


@dataclass(frozen=True)
class PredictedStep:
    """One operation of a thread, and keys of what it read and wrote, None for nothing."""

    operation: Operation
    read: object
    wrote: object

    @classmethod
    def of(cls, operation: Operation, read: tuple[object] | None, wrote: tuple[object] | None) -> PredictedStep:
        """A step that read and wrote these.

        Children are named by what spawned them, which each unfolding numbers for itself, and an update that writes
        what it has read writes nothing.
        """
        if operation.kind in SCHEDULING and operation.kind is not Kind.JOIN:
            return cls(operation, None, None)
        keys = [None if each is None else canonical_key(*each) for each in (read, wrote)]
        if operation.kind is Kind.UPDATE and keys[0] == keys[1]:
            keys[1] = None
        return cls(operation, *keys)

    @property
    def line(self) -> str:
        return str(self.operation.source or "")

    @property
    def looks(self) -> bool:
        """True if no other thread can see it."""
        return self.operation.kind in _LOOKS and self.wrote is None

    def is_same(self, other: PredictedStep) -> bool:
        """Returns whether two runs took the same step."""
        mine, its = self.operation, other.operation
        return (mine.kind, mine.where, mine.tag, mine.target, mine.source, self.read, self.wrote) == (
            *(its.kind, its.where, its.tag, its.target, its.source, other.read, other.wrote),
        )


@dataclass(frozen=True)
class Prediction:
    """The steps of threads, by name, and how some of them end."""

    steps: dict[str, tuple[PredictedStep, ...]]
    ends: dict[str, Request | None]

    def difference(self, machine: Machine, *, struck_out: bool) -> str | None:
        """The line where an execution does something else, "" if that is not known; None if it does all of this.

        `struck_out`: turns of loops that only look were left out.
        """
        unfolding = machine.unfolding
        ways = {unfolding.thread_name(state.thread): (state, way) for state, way in machine.histories()}
        for name, steps in self.steps.items():
            found = [_step(edge, unfolding.values) for edge in ways[name][1]] if name in ways else []
            different = _first_difference(steps, found, struck_out)
            if different is not None:
                return different.line
        for name, end in self.ends.items():
            if name not in ways or not _same_end(end, ways[name][0].terminal):
                return next((step.line for step in reversed(self.steps.get(name, ()))), "")
        return None


def _step(edge: Edge, values: ValueTable) -> PredictedStep:
    operation = edge.before.asked
    return PredictedStep.of(
        operation, *(None if each == NOTHING else (values[each],) for each in (edge.read, edge.wrote))
    )


def _first_difference(
    steps: Sequence[PredictedStep], found: Sequence[PredictedStep], struck_out: bool
) -> PredictedStep | None:
    place = 0
    for step in steps:
        if place < len(found) and step.is_same(found[place]):
            place += 1
        elif not (struck_out and step.looks):
            return step
    return None


def _same_end(one: Request | None, other: Request | None) -> bool:
    if isinstance(one, Ended) and isinstance(other, Ended):
        return canonical_key(one.value) == canonical_key(other.value)
    return one == other


class Valuation:
    """The values of one assignment: everything is computed from what was stored, and what was chosen."""

    def __init__(self, formula: TermFormula, candidate: Candidate, past: GoalPast) -> None:
        """Of the operations of a past, which can be put in an order: others may read from each other in a circle."""
        self._formula = formula
        self._candidate = candidate
        self._past = past
        self._numbers: dict[Term, int] = {}
        self._slots: dict[Term, Slot] = {}
        for thread, count in enumerate(past.executed):
            for slot in candidate.slots(thread)[:count]:
                if slot.reads and formula.solver.holds(slot.done):
                    self._slots[number_read(slot.thread, slot.depth, slot.loc)] = slot

    def __getitem__(self, term: Term) -> Any:
        """Returns the value of a term."""
        return evaluate(term, self._of_variable)

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
        """One number after the other: chains of reads and stores are longer than calls may be nested."""
        numbers, todo = self._numbers, [term]
        while todo:
            leaf = todo[-1]
            part = None if leaf in numbers else self._source_of(leaf)
            missing = [each for each in leaves(part) if each not in numbers]
            if missing:
                todo += missing
            else:
                todo.pop()
                numbers.setdefault(leaf, int(evaluate(part, numbers.__getitem__) if leaf not in numbers else 0))
        return numbers[term]

    def _source_of(self, leaf: Term) -> Part:
        """Returns what was stored where a variable was read; the number of its bits for an input and a variable
        that has bits."""
        if leaf.op == INPUT or leaf in self._formula.circuits.variables:
            return self._formula.circuits.value(leaf, self._formula.solver.holds)
        return as_part(self._stored(self._slots[leaf]))

    def read(self, slot: Slot, state: State) -> ValueId:
        """Returns what an operation reads or takes: `NUMBER` for a number; NOTHING if it does neither."""
        if state.inputs:
            return self._input(state)
        if not state.reads:
            return NOTHING
        value = self._stored(slot)
        is_number = as_part(value) is not None and not self._formula.by_value
        return NUMBER if is_number else self._formula.unfolding.values.intern(value)

    def _stored(self, slot: Slot) -> object:
        """Returns what the source of a read stored."""
        unfolding = self._formula.unfolding
        source = self._candidate.source(slot)
        if source is None:
            return unfolding.values[unfolding.initial[slot.loc]]
        path = self._candidate.paths[source.thread]
        if source.kind is None:
            return unfolding.values[unfolding.returned(path[source.depth])]
        return unfolding.values[self.step(path[source.depth]).wrote]

    def step(self, state: State) -> Edge:
        """The step that a state takes."""
        for edge in state.edges.values():
            if self._formula.solver.holds(self._formula.taken(edge)):
                return edge
        raise InternalError("a store that is read was not executed")

    def prediction(self, ends: Sequence[State]) -> Prediction:
        """Predicts the steps of threads, and the ends of those that end in these states."""
        name, executed = self._formula.unfolding.thread_name, enumerate(self._past.executed)
        ways = {name(thread): self._way(thread, count) for thread, count in executed if count}
        terminals = {name(state.thread): state.terminal for state in ends}
        return Prediction(
            {thread: tuple(map(self._predicted, way)) for thread, way in ways.items()},
            {
                thread: Ended(self._instantiated(end.value)) if isinstance(end, Ended) else end
                for thread, end in terminals.items()
            },
        )

    def _way(self, thread: int, count: int) -> list[Edge]:
        """The steps of a thread, as far as they are known."""
        return [self.step(state) for state in self._candidate.paths[thread][:-1][:count]]

    def _predicted(self, edge: Edge) -> PredictedStep:
        values = self._formula.unfolding.values
        read, wrote = (
            None if each == NOTHING else (self._instantiated(values[each]),) for each in (edge.read, edge.wrote)
        )
        return PredictedStep.of(edge.before.asked, read, wrote)

    def _instantiated(self, value: object) -> object:
        return instantiated(value, self._of_variable)

    def schedule(self, order: Sequence[int]) -> list[NamedChoice]:
        """The past as a schedule by names."""
        return list(self._named(self._past.schedule(order)))

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
        """Returns what an operation takes, `NUMBER` for a number of a range."""
        return NUMBER if state.asked.spans else self._candidate.choice(state)
