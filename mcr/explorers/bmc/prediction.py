"""What thread code on terms says that an execution does, held against what it does on values.

The guard of code on terms lets nothing pass that could tell a term from a
number (`replay.on_terms.guard`). Whether that is so is seen here, for the
numbers of each assignment that is run: the same operations, asked for by the
same lines, reading and writing the same, and the same ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replay.code.terminals import Ended, Request
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, Edge
from replay.world.operation import SCHEDULING, Kind, Operation
from replay.world.values import ValueTable, canonical_key

_LOOKS = frozenset({Kind.LOAD, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE})


@dataclass(frozen=True)
class Step:
    """One operation of a thread, and keys of what it read and wrote, None for nothing."""

    operation: Operation
    read: object
    wrote: object

    @classmethod
    def of(cls, operation: Operation, read: tuple[object] | None, wrote: tuple[object] | None) -> Step:
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
        """Whether nobody sees it."""
        return self.operation.kind in _LOOKS and self.wrote is None

    def is_same(self, other: Step) -> bool:
        """Whether two runs took one step."""
        mine, its = self.operation, other.operation
        return (mine.kind, mine.where, mine.tag, mine.target, mine.source, self.read, self.wrote) == (
            *(its.kind, its.where, its.tag, its.target, its.source, other.read, other.wrote),
        )


@dataclass(frozen=True)
class Prediction:
    """What threads do, by their names, and how some of them end."""

    steps: dict[str, tuple[Step, ...]]
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


def _step(edge: Edge, values: ValueTable) -> Step:
    operation = edge.before.operation
    assert operation is not None
    return Step.of(operation, *(None if each == NOTHING else (values[each],) for each in (edge.read, edge.wrote)))


def _first_difference(steps: Sequence[Step], found: Sequence[Step], struck_out: bool) -> Step | None:
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
