"""Runs the code of a litmus thread: asks the running thread to perform its operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcr.litmus.code import (
    OLD,
    Assign,
    Body,
    Expression,
    Fence,
    If,
    Load,
    Registers,
    Statement,
    Store,
    StoreFence,
    Update,
    Value,
    evaluate,
)
from mcr.litmus.errors import LitmusError
from replay.code.running_thread import RunningThread, current_run
from replay.world.operation import UNWRITTEN, Kind, Location, Operation, Source


class Interpreter:
    """One run of one thread."""

    def __init__(self, file: str, thread: str, locations: Mapping[str, Location]) -> None:
        self._file = file
        self._thread = thread
        self._locations = locations
        self._registers: dict[str, Value] = {}

    def run(self, body: Body, registers: Registers) -> Registers:
        """Run a whole thread whose registers hold `registers` at first; returns what they hold at its end."""
        self._registers = dict(registers)
        self._execute(body, current_run())
        return self._registers

    def _execute(self, body: Body, run: RunningThread) -> None:
        for statement in body:
            if isinstance(statement, If):
                taken = self._value(statement.condition, statement)
                self._execute(statement.then if taken else statement.otherwise, run)
            elif isinstance(statement, Assign):
                self._registers[statement.register] = self._value(statement.value, statement)
            else:
                read = run.perform(self._operation(statement))
                if isinstance(statement, Load | Update):
                    self._registers[statement.register] = read

    def _operation(self, statement: Load | Store | Update | Fence | StoreFence) -> Operation:
        source = Source(self._file, statement.line, self._thread)
        match statement:
            case Load(_, address):
                return Operation(Kind.LOAD, self._location(address, statement), source=source)
            case Store(address, value):
                return Operation(
                    Kind.STORE, self._location(address, statement), value=self._value(value, statement), source=source
                )
            case Update(_, address):
                return Operation(
                    Kind.UPDATE,
                    self._location(address, statement),
                    update=self._update(statement),
                    label=self._label(statement),
                    source=source,
                )
            case Fence():
                return Operation(Kind.FENCE, source=source)
            case StoreFence():
                return Operation(Kind.STORE_FENCE, source=source)

    def _update(self, statement: Update) -> Callable[[object], object]:
        """The function of an rmw; it sees the registers as they are now, whenever it is called."""
        registers = dict(self._registers)

        def update(old: object) -> object:
            seen = {**registers, OLD: old}
            if statement.when is not None and not evaluate(statement.when, seen):  # type: ignore[arg-type]
                return UNWRITTEN
            return evaluate(statement.new, seen)  # type: ignore[arg-type]

        return update

    def _label(self, statement: Update) -> str:
        arguments = (str(self._value(argument, statement)) for argument in statement.arguments)
        return f"{statement.name}({', '.join(arguments)})"

    def _location(self, address: Expression, statement: Statement) -> Location:
        name = self._value(address, statement)
        location = self._locations.get(name) if isinstance(name, str) else None
        if location is None:
            raise LitmusError(f"an access to {name!r}, which is no location", f"{self._file}:{statement.line}")
        return location

    def _value(self, expression: Expression, statement: Statement) -> Value:
        try:
            return evaluate(expression, self._registers)
        except TypeError:
            raise LitmusError("arithmetic on an address is not supported", f"{self._file}:{statement.line}") from None
