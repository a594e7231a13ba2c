"""A thread of a program as a fixed list of operations, if it is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replay.code.terminals import Blocked, Ended, Failed
from replay.errors import ModelError
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import ThreadInfo, Unfolding
from replay.world.operation import Kind, Operation

_POSSIBLE = frozenset({Kind.LOAD, Kind.STORE, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE})


@dataclass(frozen=True)
class Written:
    """A value that is written: a number, or the one read by step `read`, plus `amount`."""

    amount: int
    read: int | None = None


@dataclass(frozen=True)
class StraightOperation:
    """One operation. name and arguments are those of an rmw: "fetch_add" with (1,)."""

    kind: Kind
    location: int | None = None
    location_name: str = ""
    written: Written | None = None
    name: str = ""
    arguments: tuple[int, ...] = ()


@dataclass(frozen=True)
class Leaf:
    """One way in which the thread ends: the values read by step, and what it returned, None if it failed."""

    reads: dict[int, int]
    state: State

    @property
    def fails(self) -> bool:
        return isinstance(self.state.terminal, Failed)


@dataclass(frozen=True)
class StraightThread:
    steps: tuple[StraightOperation, ...]
    leaves: tuple[Leaf, ...]

    def failing(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.fails]

    def returning(self, value: int, unfolding: Unfolding) -> list[Leaf]:
        """The leaves that return the value with this id."""
        return [leaf for leaf in self.leaves if not leaf.fails and unfolding.returned(leaf.state) == value]

    def deciding(self) -> tuple[int, ...]:
        """The steps whose values decide how the thread ends: as few as a greedy search finds."""
        kept = [place for place in range(len(self.steps)) if any(place in leaf.reads for leaf in self.leaves)]
        for place in list(kept):
            fewer = [other for other in kept if other != place]
            if self._decide(fewer):
                kept = fewer
        return tuple(kept)

    def _decide(self, places: Sequence[int]) -> bool:
        ends: dict[tuple[int, ...], object] = {}
        for leaf in self.leaves:
            key = tuple(leaf.reads[place] for place in places)
            if ends.setdefault(key, leaf.state.terminal) != leaf.state.terminal:
                return False
        return True


def as_number(value: object, where: str) -> int:
    """A value as x86 knows it. Raises ModelError for what is no number."""
    if not isinstance(value, int):
        raise ModelError(f"x86 has only numbers; {value!r} cannot be part of a litmus test", where)
    return int(value)


def straight_thread(unfolding: Unfolding, info: ThreadInfo) -> StraightThread:
    """The thread as a list of operations. Raises ModelError with the reason if it is none."""
    return _Straightener(unfolding, info).thread()


class _Straightener:
    def __init__(self, unfolding: Unfolding, info: ThreadInfo) -> None:
        self._unfolding = unfolding
        self._name = f"thread {info.name} ({info.title})"
        states = [state for state in unfolding.states if state.thread == info.index]
        self._levels: list[list[State]] = [[] for _ in range(1 + max(state.depth for state in states))]
        for state in states:
            self._levels[state.depth].append(state)

    def thread(self) -> StraightThread:
        for level in self._levels:
            self._check(level)
        leaves = tuple(self._leaf(state) for state in self._levels[-1])
        steps = tuple(self._step(place, leaves) for place in range(len(self._levels) - 1))
        return StraightThread(steps, leaves)

    def _check(self, level: Sequence[State]) -> None:
        """All states of one depth ask for the same; at the last depth all have ended."""
        first, *others = level
        for other in others:
            if _request(first) != _request(other):
                raise self._error(
                    f"does different things depending on what it read: {_said(first)}, or {_said(other)}", other
                )
        terminal = first.terminal
        if isinstance(terminal, Blocked):
            raise self._error(f"may block ({terminal.reason}), which a litmus test cannot", first)
        operation = first.operation
        if operation is not None and (operation.kind not in _POSSIBLE or operation.tag):
            raise self._error(f"asks for '{operation.describe()}', which x86 has not", first)

    def _leaf(self, state: State) -> Leaf:
        reads = {
            place: self._number(edge.read, edge.before)
            for place, edge in enumerate(state.way())
            if edge.read != NOTHING
        }
        return Leaf(reads, state)

    def _number(self, value: int, state: State) -> int:
        return as_number(self._unfolding.values[value], _where(state))

    def _step(self, place: int, leaves: Sequence[Leaf]) -> StraightOperation:
        state = self._levels[place][0]
        operation = state.operation
        assert operation is not None
        if operation.location is None:
            return StraightOperation(operation.kind)
        name, arguments = self._rmw(operation, state) if operation.kind is Kind.UPDATE else ("", ())
        written = None
        if operation.kind is Kind.STORE or name == "exchange":
            written = self._written(place, leaves)
        return StraightOperation(operation.kind, state.loc, operation.location.name, written, name, arguments)

    def _rmw(self, operation: Operation, state: State) -> tuple[str, tuple[int, ...]]:
        """The name and the arguments of an rmw."""
        name, given = operation.primitive, operation.operands
        if name == "exchange":
            return name, ()
        if not name:
            raise self._error(f"asks for '{operation.describe()}', which is none of x86's locked operations", state)
        if any(each.operation and each.operation.operands != given for each in self._levels[state.depth]):
            raise self._error(f"computes the arguments of '{operation.describe()}' from what it read", state)
        numbers = tuple(int(each) for each in given if isinstance(each, int))
        if len(numbers) < len(given):
            raise self._error(f"asks for '{operation.describe()}', but x86 has only numbers", state)
        return name, numbers

    def _written(self, place: int, leaves: Sequence[Leaf]) -> Written:
        """What the step writes, as a number or as a copy of something read."""
        values = [self._number(leaf.state.way()[place].wrote, leaf.state) for leaf in leaves]
        if len(set(values)) == 1:
            return Written(values[0])
        for read in range(place):
            if read in leaves[0].reads:
                amounts = {value - leaf.reads[read] for value, leaf in zip(values, leaves, strict=True)}
                if len(amounts) == 1:
                    return Written(amounts.pop(), read)
        raise self._error("writes something computed from several reads", self._levels[place][0])

    def _error(self, problem: str, state: State) -> ModelError:
        return ModelError(f"{self._name} {problem}; it cannot be a litmus test", _where(state))


def _request(state: State) -> object:
    """What must be the same in all states of one depth."""
    operation = state.operation
    if operation is None:
        return "failed or ended" if isinstance(state.terminal, Ended | Failed) else type(state.terminal)
    label = operation.primitive or operation.label
    return (operation.kind, operation.location, label)


def _said(state: State) -> str:
    return f"'{state.operation.describe()}'" if state.operation is not None else "its end"


def _where(state: State) -> str:
    operation = state.operation or (state.entry.before.operation if state.entries else None)
    return str(operation.source or "") if operation else ""
