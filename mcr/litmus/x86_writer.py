"""A thread of a program as X86 instructions, if it asks for the same operations whatever it reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcr.litmus.test import RegisterColumn
from mcr.litmus.write import REGISTERS
from replay.code.terminals import Blocked, Ended, Failed
from replay.errors import ModelError
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import ThreadInfo, Unfolding
from replay.world.operation import Kind

_POSSIBLE = frozenset({Kind.LOAD, Kind.STORE, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE})


@dataclass(frozen=True)
class Written:
    """A value that is written: a number, or the one read by step `read`, plus `amount`."""

    amount: int
    read: int | None = None


@dataclass(frozen=True)
class Leaf:
    """One way in which the thread ends: the values read by step, and the state."""

    reads: dict[int, int]
    state: State

    @property
    def fails(self) -> bool:
        return isinstance(self.state.terminal, Failed)


def as_number(value: object, where: str) -> int:
    """A value as x86 knows it. Raises ModelError for what is no number."""
    if not isinstance(value, int):
        raise ModelError(f"x86 has only numbers; {value!r} cannot be part of a litmus test", where)
    return int(value)


class StraightThread:
    """A thread as a fixed list of steps. Raises ModelError with the reason if it is none.

    leaves     the ways in which it ends
    locations  the numbers of those that it accesses
    columns    for each step whose value decides how the thread ends: the register that holds it to the end
    """

    def __init__(self, number: int, unfolding: Unfolding, info: ThreadInfo) -> None:
        self._number = number
        self._unfolding = unfolding
        self._name = f"thread {info.name} ({info.title})"
        states = [state for state in unfolding.states if state.thread == info.index]
        levels: list[list[State]] = [[] for _ in range(1 + max(state.depth for state in states))]
        for state in states:
            levels[state.depth].append(state)
        for level in levels:
            self._check(level)
        *self._steps, last = levels
        self.leaves = [Leaf(self._reads(state), state) for state in last]
        self._primitives: list[tuple[str, tuple[int, ...]]] = []
        self._written: list[Written | None] = []
        for place, level in enumerate(self._steps):
            self._primitives.append(self._primitive(level))
            self._written.append(self._value(place))
        self.locations = {state.loc for state, *_ in self._steps if _location(state)}
        self.columns: dict[int, RegisterColumn] = {}

    def _check(self, level: Sequence[State]) -> None:
        """All states of one depth ask for the same; at the last depth all have ended."""
        first, *others = level
        for other in others:
            if _request(first) != _request(other):
                raise self._error(
                    f"does different things depending on what it read: {_said(first)}, or {_said(other)}", other
                )
        if isinstance(first.terminal, Blocked):
            raise self._error(f"may block ({first.terminal.reason}), which a litmus test cannot", first)
        operation = first.operation
        if operation is not None and (operation.kind not in _POSSIBLE or operation.tag):
            raise self._error(f"asks for {_said(first)}, which x86 has not", first)

    def _reads(self, leaf: State) -> dict[int, int]:
        way = enumerate(leaf.way())
        return {place: self._number_of(edge.read, edge.before) for place, edge in way if edge.read != NOTHING}

    def _number_of(self, value: int, state: State) -> int:
        return as_number(self._unfolding.values[value], _where(state))

    def _primitive(self, level: Sequence[State]) -> tuple[str, tuple[int, ...]]:
        """The name and the arguments of an rmw; nothing for other operations."""
        state = level[0]
        operation = state.operation
        assert operation is not None
        if operation.kind is not Kind.UPDATE or operation.primitive == "exchange":
            return operation.primitive if operation.kind is Kind.UPDATE else "", ()
        if not operation.primitive:
            raise self._error(f"asks for {_said(state)}, which is none of x86's locked operations", state)
        if any(each.operation and each.operation.operands != operation.operands for each in level):
            raise self._error(f"computes the arguments of {_said(state)} from what it read", state)
        numbers = tuple(int(each) for each in operation.operands if isinstance(each, int))
        if len(numbers) < len(operation.operands):
            raise self._error(f"asks for {_said(state)}, but x86 has only numbers", state)
        return operation.primitive, numbers

    def _value(self, place: int) -> Written | None:
        """Returns the value of a step that computes nothing: a number, or a copy of something read."""
        operation = self._steps[place][0].operation
        assert operation is not None
        if operation.kind is not Kind.STORE and self._primitives[place][0] != "exchange":
            return None
        values = [self._number_of(leaf.state.way()[place].wrote, leaf.state) for leaf in self.leaves]
        if len(set(values)) == 1:
            return Written(values[0])
        for read in range(place):
            if read in self.leaves[0].reads:
                amounts = {value - leaf.reads[read] for value, leaf in zip(values, self.leaves, strict=True)}
                if len(amounts) == 1:
                    return Written(amounts.pop(), read)
        raise self._error("writes something computed from several reads", self._steps[place][0])

    def _error(self, problem: str, state: State) -> ModelError:
        return ModelError(f"{self._name} {problem}; it cannot be a litmus test", _where(state))

    # -- instructions ------------------------------------------------------------------

    def code(self) -> list[str]:
        """The instructions; raises ModelError if the registers do not suffice.

        Registers are given out once; compare_exchange needs EAX, which is then no one else's.
        """
        deciding = self._deciding()
        kept = {*deciding, *(each.read for each in self._written if each and each.read is not None)}
        compares = any(name == "compare_exchange" for name, _ in self._primitives)
        self._free = list(REGISTERS[1:] if compares else REGISTERS)
        self._scratch = ""
        self._holds: dict[int, str] = {}
        found = [line for place in range(len(self._steps)) for line in self._instructions(place, kept)]
        self.columns = {place: RegisterColumn(self._number, self._holds[place]) for place in deciding}
        return found

    def _deciding(self) -> list[int]:
        """The steps whose values decide how the thread ends: as few as a greedy search finds."""
        kept = [place for place in range(len(self._steps)) if any(place in leaf.reads for leaf in self.leaves)]
        for place in list(kept):
            fewer = [other for other in kept if other != place]
            ends: dict[tuple[int, ...], object] = {}
            keys = [(tuple(leaf.reads[each] for each in fewer), leaf.state.terminal) for leaf in self.leaves]
            if all(ends.setdefault(key, terminal) == terminal for key, terminal in keys):
                kept = fewer
        return kept

    def _register(self) -> str:
        if not self._free:
            raise ModelError(f"thread {self._number} needs more than the {len(REGISTERS)} registers of X86")
        return self._free.pop(0)

    def _target(self, place: int, kept: Collection[int]) -> str:
        """The register for what a step reads: its own if that is needed later, else one that is shared."""
        if place in kept:
            self._holds[place] = self._register()
            return self._holds[place]
        self._scratch = self._scratch or self._register()
        return self._scratch

    def _instructions(self, place: int, kept: Collection[int]) -> list[str]:
        operation, (name, arguments) = self._steps[place][0].operation, self._primitives[place]
        assert operation is not None
        if operation.location is None:
            return ["MFENCE" if operation.kind is Kind.FENCE else "SFENCE"]
        cell, before, value = f"[{operation.location.name}]", *self._operand(self._written[place])
        if operation.kind is Kind.STORE:
            return [*before, f"MOV {cell},{value}"]
        if name not in ("", "compare_exchange", "exchange") and place not in kept:
            return [f"LOCK ADD {cell},${arguments[0]}"]
        register = self._target(place, kept)
        match name:
            case "compare_exchange":
                given = [f"MOV EAX,${arguments[0]}", f"MOV {register},${arguments[1]}"]
                return [*given, f"LOCK CMPXCHG {cell},{register}", f"MOV {register},EAX"]
            case "exchange":
                return [*before, f"MOV {register},{value}", f"XCHG {cell},{register}"]
            case "":
                return [f"MOV {register},{cell}"]
        return [f"MOV {register},${arguments[0]}", f"LOCK XADD {cell},{register}"]

    def _operand(self, written: Written | None) -> tuple[list[str], str]:
        """The operand for what is written, a constant or a register; and what adds something to a copy before."""
        if written is None or written.read is None:
            return [], f"${written.amount}" if written else ""
        source = self._holds[written.read]
        if written.amount == 0:
            return [], source
        register = self._register()
        return [f"MOV {register},{source}", f"ADD {register},${written.amount}"], register


def _location(state: State) -> bool:
    return state.operation is not None and state.operation.location is not None


def _request(state: State) -> object:
    """Returns what must be equal in all states of one depth."""
    operation = state.operation
    if operation is None:
        return "failed or ended" if isinstance(state.terminal, Ended | Failed) else type(state.terminal)
    return (operation.kind, operation.location, operation.primitive or operation.label)


def _said(state: State) -> str:
    return f"'{state.operation.describe()}'" if state.operation is not None else "its end"


def _where(state: State) -> str:
    operation = state.operation or (state.entry.before.operation if state.entries else None)
    return str(operation.source or "") if operation else ""
