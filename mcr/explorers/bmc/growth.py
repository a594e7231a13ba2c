"""Thread code on terms: an unfolding in which a load of a number has one step, whatever the number.

A read gives a *number* where its location may hold one, and else the very
value. Where the code needs to know what a term is, the step becomes a case for
each decision. Steps are taken before anybody asks whether they are possible,
as far as a budget goes; the formula knows which are, and which are missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from replay.code.terminals import Ended
from replay.errors import ModelError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.on_terms.symbols import Number
from replay.world.operation import Kind
from replay.world.terms import Part, Symbol, Term, evaluate, given, variable
from replay.world.values import Case, ValueId, ValueTable, canonical_key

Decide = Callable[[Term], object]

NUMBER = -2
"""Stands for "a number" where value ids are expected."""

BUDGET = 300
"""Steps that are taken before anything has shown that they are possible."""

_CASES = 32
"""Cases of one step that are taken likewise."""

_GENERATIONS = 2
"""Updates of updates of values that are no numbers, taken likewise: most of what comes of more is impossible."""


def number_read(thread: int, depth: int, loc: LocationId) -> Term:
    """The number that a thread reads there as the operation of that depth."""
    return variable(f"{thread}@{depth}:{loc}")


def input_taken(state: State) -> Term:
    """The number of a range that a thread takes there."""
    (numbers,) = state.asked.choices
    assert isinstance(numbers, range)
    return given(f"{state.thread}@{state.depth}", numbers.start, numbers.stop - 1)


def as_part(value: object) -> Part | None:
    """A whole number as a part of terms; None for what is none."""
    if type(value) is Number:
        return value.term
    return value if type(value) is int else None


class TermGrowth:
    """Grows an unfolding on terms."""

    def __init__(self, unfolding: Unfolding, *, by_value: bool = False) -> None:
        """`by_value`: what memory holds is no term, but one of the values that it may hold."""
        self.unfolding = unfolding
        self.by_value = by_value
        self._spent = 0
        self._states = 0
        self._edges = 0
        self._held: dict[LocationId, dict[ValueId, int]] = {}
        """By location, what it may hold, and of which generation that is."""
        self._readers: dict[LocationId, list[State]] = {}
        self._todo: deque[tuple[State, ValueId]] = deque()

    def grow(self) -> None:
        """Take the steps that are known to be there, as far as the budget goes."""
        self._look()
        while self._todo and self._spent < BUDGET:
            self._take_all(*self._todo.popleft())

    def take(self, state: State, base: ValueId, decide: Decide) -> Edge:
        """The step of a state that reads this, its terms decided like this."""
        edge = self.unfolding.step_on_terms(state, self._read(state, base), decide)
        self._look()
        return edge

    def follow(self, machine: Machine) -> bool:
        """Take the steps that a machine has taken, which ran on values; returns whether one is new.

        What a thread read may be known only when the thread that stored it was followed, and a thread only when the
        one that spawned it was.
        """
        known = len(self.unfolding.edges)
        steps = {machine.unfolding.thread_name(state.thread): way for state, way in machine.histories()}
        values, numbers = machine.unfolding.values, dict[Term, int]()
        walks: dict[str, _TermWalk] = {}
        moved = True
        while moved:
            for name, way in steps.items():
                if name not in walks and (info := self.unfolding.thread(name)) is not None:
                    walks[name] = _TermWalk(info.root, way)
            moved = sum(self._walk(walk, values, numbers) for walk in walks.values()) > 0
        return len(self.unfolding.edges) > known

    def _walk(self, walk: _TermWalk, values: ValueTable, numbers: dict[Term, int]) -> bool:
        """Go as far as what is read is known to be stored; returns whether that is any further."""
        begun = len(walk.steps)
        known: dict[int, object] = {}
        while walk.steps:
            if walk.state.operation is None:  # it spins, and went round once more when it ran on values
                walk.steps.clear()
                break
            read = walk.steps[0].read
            base = NOTHING if read == NOTHING else self._base(walk.state, values[read], numbers)
            if base is None:
                break
            walk.state = self.take(walk.state, base, lambda term: evaluate(term, numbers.__getitem__, known)).after
            walk.steps.pop(0)
        return len(walk.steps) < begun

    def _base(self, state: State, value: object, numbers: dict[Term, int]) -> ValueId | None:
        """Returns what a state reads, or takes, if that is `value` when it runs on values; None if no known value
        is that."""
        operation = state.asked
        if type(value) is int and (operation.spans or (state.reads and not self.by_value)):
            numbers[self._number(state)] = value
            return NUMBER
        found = self.unfolding.values
        if not state.reads:
            return found.intern(value)
        held = self._held.get(state.loc, {})
        wanted = canonical_key(value)
        for base in held:
            if base != NUMBER and canonical_key(instantiated(found[base], numbers.__getitem__)) == wanted:
                return base
        return None

    def _take_all(self, state: State, base: ValueId) -> None:
        """The steps for one value read, whatever truths turn out to be; where numbers are asked for, none."""
        waiting: list[list[bool]] = [[]]
        for _ in range(_CASES):
            if not waiting:
                return
            path = _Path(waiting.pop(), waiting)
            with suppress(_OpenStates, ModelError):  # perhaps it is wrong only because it is impossible
                self.take(state, base, path.decide)
            self._spent += 1

    def _read(self, state: State, base: ValueId) -> ValueId:
        return self.unfolding.values.intern(Number(self._number(state))) if base == NUMBER else base

    def _number(self, state: State) -> Term:
        operation = state.asked
        if operation.kind is Kind.CHOOSE:
            return input_taken(state)
        return number_read(state.thread, state.depth, state.loc)

    # -- what may be read where ------------------------------------------------------------

    def _look(self) -> None:
        """Take note of what the unfolding gained."""
        unfolding = self.unfolding
        while self._states < len(unfolding.states) or self._edges < len(unfolding.edges):
            for state in unfolding.states[self._states :]:
                self._note(state)
                self._states += 1
            for edge in unfolding.edges[self._edges :]:
                self._edges += 1
                if edge.wrote != NOTHING:
                    self._hold(edge.before.loc, edge.wrote, self._generation(edge.before, edge.read))

    def _generation(self, before: State, read: ValueId) -> int:
        operation = before.asked
        if operation.kind is not Kind.UPDATE:
            return 0
        value = self.unfolding.values[read]
        if isinstance(value, Case):
            value = value.value
        if self._is_number(value):
            return 1
        return 1 + self._held.get(before.loc, {}).get(self.unfolding.values.intern(value), 0)

    def _note(self, state: State) -> None:
        if isinstance(state.terminal, Ended):
            end = self.unfolding.threads[state.thread].end
            self._hold(end, self.unfolding.returned(state), 0)
        operation = state.operation
        if operation is None:
            return
        if state.reads:
            self.unfolding.refuse_look_at_end(state)
            self._hold(state.loc, self.unfolding.initial[state.loc], 0)
            self._readers.setdefault(state.loc, []).append(state)
            for base, generation in list(self._held[state.loc].items()):
                self._offer(state, base, generation)
        elif operation.kind is Kind.CHOOSE:
            self._todo.extend((state, base) for base in self._inputs(state))
        else:
            self._todo.append((state, NOTHING))

    def _inputs(self, state: State) -> tuple[ValueId, ...]:
        operation = state.asked
        return (NUMBER,) if operation.spans else state.inputs

    def _hold(self, loc: LocationId, value: ValueId, generation: int) -> None:
        """A location may hold a value."""
        base = NUMBER if self._is_number(self.unfolding.values[value]) else value
        held = self._held.setdefault(loc, {})
        if base not in held:
            held[base] = generation
            for reader in self._readers.get(loc, ()):
                self._offer(reader, base, generation)

    def _is_number(self, value: object) -> bool:
        """Returns whether a read of this value gives thread code a term."""
        return not self.by_value and as_part(value) is not None

    def _offer(self, state: State, base: ValueId, generation: int) -> None:
        operation = state.asked
        if generation > _GENERATIONS:
            return
        if operation.ready is None or base == NUMBER or operation.ready(self.unfolding.values[base]):
            self._todo.append((state, base))


class _OpenStates(Exception):
    """A number has to be known, which may be many."""


class _Path:
    """Decides truths as it was told, and those after them as False; leaves word of each that may be True as well."""

    def __init__(self, told: list[bool], waiting: list[list[bool]]) -> None:
        self._told = told
        self._waiting = waiting
        self._made: list[bool] = []

    def decide(self, term: Term) -> bool:
        if not term.is_truth:
            raise _OpenStates
        count = len(self._made)
        if count == len(self._told):
            self._waiting.append([*self._made, True])
            self._told.append(False)
        self._made.append(self._told[count])
        return self._told[count]


class _TermWalk:
    """A thread on its way: the steps that it is to take are those of another unfolding."""

    def __init__(self, root: State, steps: list[Edge]) -> None:
        self.state = root
        self.steps = steps


def instantiated(value: object, numbers: Callable[[Term], int]) -> object:
    """A value in which each term is what it is for these numbers; one that is unknown, a KeyError, stays."""
    if isinstance(value, Case):
        return instantiated(value.value, numbers)
    if isinstance(value, Symbol):
        try:
            return evaluate(value.term, numbers)
        except KeyError:
            return value
    if type(value) is tuple:
        return tuple(instantiated(each, numbers) for each in value)
    return value
