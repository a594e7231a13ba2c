"""The final state of a litmus test: how it is collected, shown, and what is claimed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcr.litmus.code import Value, wrap
from mcr.litmus.condition import Column, MemoryColumn, Quantifier, RegisterColumn, State
from mcr.litmus.test import LitmusTest
from replay.code.running_thread import current_run
from replay.frontend.threads import joining
from replay.world.operation import Kind, Location, Operation, Source


class FinalState:
    """What the final function looks at: the columns of a test."""

    def __init__(self, test: LitmusTest, locations: Mapping[str, Location]) -> None:
        self._test = test
        source = Source(test.file, test.condition_line, "condition")
        self._observations = [
            (joining(str(number), source), tuple(RegisterColumn(number, name) for name in registers))
            for number in range(len(test.threads))
            if (registers := test.registers(number))
        ]
        self._loads = [
            (Operation(Kind.LOAD, locations[column.location], source=source), column)
            for column in test.all_columns
            if isinstance(column, MemoryColumn)
        ]

    def check(self, ask: str) -> tuple[bool, str]:
        """Whether the claim fails, and the state (`mcr.litmus.program` says what `ask` may be)."""
        test = self._test
        state = self._state()
        if test.filter is not None and not test.filter.holds(state):
            current_run().block("filter")
        holds = test.condition.proposition.holds(state)
        shown = show_state(test.columns, state)
        if _fails(test.condition.quantifier, holds, ask):
            return True, f"{test.condition}: {shown}"
        if ask == "claim" and test.condition.quantifier is Quantifier.EXISTS:
            return False, f"{'*' if holds else ':'}>{shown}"
        return False, shown

    def _state(self) -> State:
        state = dict(self._observed())
        for column, bits in self._test.unsigned.items():
            if column in state:
                state[column] = wrap(state[column], bits, signed=False)
        return state

    def _observed(self) -> Iterator[tuple[Column, Value]]:
        """Join the threads whose registers count, then load memory."""
        run = current_run()
        for join, columns in self._observations:
            yield from zip(columns, run.perform(join), strict=True)
        for load, column in self._loads:
            yield column, run.perform(load)


def _fails(quantifier: Quantifier, holds: bool, ask: str) -> bool:
    if ask == "states":
        return False
    if quantifier is Quantifier.FORALL:
        return not holds
    return holds and (quantifier is Quantifier.NOT_EXISTS or ask == "witness")


def show_state(columns: tuple[Column, ...], state: State) -> str:
    """A final state in herd's layout: "0:EAX=1; [x]=2;"."""
    return " ".join(f"{column}={state[column]};" for column in columns)
