"""Steps that another process was first to see, as numbers.

Both processes knew the same until one was made of the other (`twins`), and
number what each has learned since in its own way. Who hears of all steps of
the other, in the order in which it saw them, knows what its numbers mean.
"""

from __future__ import annotations

from typing import NamedTuple

from mcr.explorers.trust.sketch import Sketch, Sketched
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Kind
from replay.world.values import ValueId


class Step(NamedTuple):
    """A step, by the numbers of who tells of it.

    joined   where it reads what a thread returned, the state in which that ended, else NOTHING
    loc      where the state after it accesses memory, else NOTHING
    initial  what is there at first, else NOTHING
    child    the first state of the thread that is spawned by the state after it, else NOTHING

    The rest is that of `Edge` and, of the state after it, `State`.
    """

    before: int
    read: ValueId
    joined: int
    wrote: ValueId
    after: int
    loc: LocationId
    initial: ValueId
    stored: ValueId
    inputs: tuple[ValueId, ...]
    child: int


class Steps:
    """Tells of the steps that an unfolding gains from now on, but for those of the final function."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._told = len(unfolding.edges)
        self._final = unfolding.final.index if unfolding.final else NOTHING

    def gained(self) -> list[Step]:
        """Those since the last call."""
        edges = self._unfolding.edges[self._told :]
        self._told += len(edges)
        return [self._step(edge) for edge in edges if edge.before.thread != self._final]

    def _step(self, edge: Edge) -> Step:
        operation, after = edge.before.operation, edge.after
        assert operation is not None
        joined = NOTHING
        if operation.kind is Kind.JOIN:
            joined = self._unfolding.ended_with(operation.target, edge.read).number
        spawns = after.operation is not None and after.operation.kind is Kind.SPAWN
        child = self._unfolding.child_of_spawn(after).root.number if spawns else NOTHING
        initial = NOTHING if after.loc == NOTHING else self._unfolding.initial[after.loc]
        before, state = edge.before.number, after.number
        return Step(before, edge.read, joined, edge.wrote, state, after.loc, initial, after.stored, after.inputs, child)


class Translation:
    """What the numbers of another process mean here. Made when the other one is."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._states = dict(enumerate(unfolding.states))
        self._values = {value: value for value in range(len(unfolding.values))}
        self._locations = {loc: loc for loc in range(len(unfolding.locations))}

    def take(self, step: Step) -> None:
        """A step that the other has seen, after all that it saw before; it is known here from now on."""
        unfolding, before = self._unfolding, self._states[step.before]
        read = self._value(step.read) if step.joined == NOTHING else unfolding.returned(self._states[step.joined])
        edge = before.edges.get(read) or self._known(step, before, read) or unfolding.step(before, read)
        after = edge.after
        self._states[step.after] = after
        self._values[step.wrote], self._values[step.stored] = edge.wrote, after.stored
        self._values.update(zip(step.inputs, after.inputs, strict=True))
        if step.initial != NOTHING:
            self._locations[step.loc], self._values[step.initial] = after.loc, unfolding.initial[after.loc]
        if step.child != NOTHING:
            self._states[step.child] = unfolding.child_of_spawn(after).root

    def sketch(self, told: Sketched) -> Sketch:
        """What was told of a graph, all steps of which were taken."""
        ends = [info.root for info in self._unfolding.threads]
        for number in told.ends:
            end = self._states[number]
            ends[end.thread] = end
        return Sketch(
            [self._states[number] for number in told.order],
            ends,
            {self._locations[loc]: self._values[value] for loc, value in told.memory.items()},
            {place: self._values[value] for place, value in told.chosen.items()},
        )

    def _value(self, value: ValueId) -> ValueId:
        return NOTHING if value == NOTHING else self._values[value]

    def _known(self, step: Step, before: State, read: ValueId) -> Edge | None:
        """The step, if it leads to a state that is known here: then no code has to be run."""
        after = self._states.get(step.after)
        if after is None or (step.wrote != NOTHING and step.wrote not in self._values):
            return None
        return self._unfolding.connect(before, read, self._value(step.wrote), after)
