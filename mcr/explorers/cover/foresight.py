"""Code first: what a thread would do with a value is known before anybody asks whether it can have it.

Every reader that was seen is given every value that was seen written to its
location. That takes its code alone, no machine and no solver. Where it leads to
a local state that is known, the step is known, and the formula says when it
can be taken; no execution has to show it. So only local states that no
execution has shown are left to be asked for.

Where values breed values, most of this leads to nothing known: then it ends,
and the rest is left to executions. An update breeds a value of each that it
reads, whatever follows; but each update happens once, so a value that takes
more of them in a row than there are cannot be. Even so they are many where
updates do not commute, as those of condition variables: so updates end by
themselves, whatever they lead to.
"""

from __future__ import annotations

from replay.errors import ModelError, NondeterminismError
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind
from replay.world.values import ValueId

VAIN = 1
"""Steps that may lead to nothing known, for each local state that is; and updates that may lead anywhere."""

AT_FIRST = 40
"""The same, to begin with."""

ALL = 10
"""How many times as many may be looked at at all: what leads to known states breeds values, too."""


class Foresight:
    """Grows an unfolding by steps that lead to known local states."""

    def __init__(self, unfolding: Unfolding, *, final: bool) -> None:
        """With `final`, also those of the final function."""
        self._unfolding = unfolding
        self._left_out = unfolding.final.index if unfolding.final and not final else NOTHING
        self._states = 0
        self._edges = 0
        self._readers: dict[LocationId, list[State]] = {}
        self._writers: dict[LocationId, dict[ValueId, dict[int, int]]] = {}
        """By location and value, the threads that write it, with the fewest operations before."""
        self._updates: dict[LocationId, set[tuple[int, int]]] = {}
        """By location, the threads that update it, with the operations before."""
        self._bred: dict[tuple[LocationId, ValueId], int] = {}
        """How many updates in a row a value takes, by location, as far as is known."""
        self._tried: set[tuple[int, ValueId]] = set()
        self._tried_updates = 0
        self._is_over = not unfolding.options.merges

    def grow(self) -> None:
        """Take in what the unfolding gained, and what follows from it."""
        unfolding = self._unfolding
        while not self._is_over and (self._states < len(unfolding.states) or self._edges < len(unfolding.edges)):
            self._take_states()
            self._take_edges()

    def _take_states(self) -> None:
        states = self._unfolding.states
        for state in states[self._states :]:
            if _updates(state):
                self._updates.setdefault(state.loc, set()).add((state.thread, state.depth))
        while self._states < len(states):
            state = states[self._states]
            self._states += 1
            if state.reads_memory and state.thread != self._left_out:
                self._readers.setdefault(state.loc, []).append(state)
                for value in [self._unfolding.initial[state.loc], *self._writers.get(state.loc, ())]:
                    self._try(state, value)

    def _take_edges(self) -> None:
        edges = self._unfolding.edges
        while self._edges < len(edges):
            edge = edges[self._edges]
            self._edges += 1
            before = edge.before
            if edge.wrote == NOTHING or before.loc == NOTHING:
                continue
            self._note_bred(edge)
            writers = self._writers.setdefault(before.loc, {}).setdefault(edge.wrote, {})
            if writers.get(before.thread, before.depth + 1) > before.depth:
                writers[before.thread] = before.depth
                for reader in self._readers.get(before.loc, ()):
                    self._try(reader, edge.wrote)

    def _note_bred(self, edge: Edge) -> None:
        loc = edge.before.loc
        bred = self._bred.get((loc, edge.read), 0) + 1 if _updates(edge.before) else 0
        self._bred[loc, edge.wrote] = min(bred, self._bred.get((loc, edge.wrote), bred))

    def _try(self, state: State, value: ValueId) -> None:
        if self._is_over or value in state.edges or (state.number, value) in self._tried:
            return
        if not self._may_read(state, value):
            return
        enough = AT_FIRST + VAIN * len(self._unfolding.states)
        if _updates(state):
            self._tried_updates += 1
            if self._tried_updates > enough:
                return
        self._tried.add((state.number, value))
        try:
            self._unfolding.foresee(state, value)
        except NondeterminismError:
            raise
        except ModelError:  # of what cannot happen, perhaps
            self._is_over = True
        self._is_over |= self._unfolding.in_vain > enough or len(self._tried) > ALL * enough

    def _may_read(self, state: State, value: ValueId) -> bool:
        """Returns whether a state may read a value, as far as its location and its thread can tell."""
        if not self._unfolding.accepts(state, value):
            return False
        if _updates(state) and self._bred.get((state.loc, value), 0) >= len(self._updates[state.loc]):
            return False
        writers = self._writers.get(state.loc, {}).get(value, {})
        if value == self._unfolding.initial[state.loc]:
            return True
        return any(thread != state.thread or depth < state.depth for thread, depth in writers.items())


def _updates(state: State) -> bool:
    return state.operation is not None and state.operation.kind is Kind.UPDATE and state.loc != NOTHING
