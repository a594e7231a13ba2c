"""The code of a litmus thread as lines of Python."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mcr.litmus.code import (
    OLD,
    Assign,
    Binary,
    Body,
    Constant,
    Expression,
    Fence,
    If,
    Load,
    Register,
    Store,
    StoreFence,
    Update,
    Wrapped,
    expressions,
    registers_in,
    statements,
)
from mcr.litmus.test import LitmusThread


class Line(NamedTuple):
    """A line of Python, and the number of the test's line that it stands for."""

    text: str
    number: int

    def indented(self) -> Line:
        return Line(f"    {self.text}" if self.text else "", self.number)


def registers_used(body: Body) -> set[str]:
    """The registers whose values matter after the statement that writes them: an rmw's own use of OLD is none."""
    return {
        name
        for statement in statements(body)
        for expression in expressions(statement)
        for name in registers_in(expression)
        if not (name == OLD and isinstance(statement, Update))
    }


class PythonCode:
    """Writes the code of one thread. Afterwards `wraps` says whether it calls `wrap`, which cuts a number to a size.

    Updates of these names are called by them in reports, although `fetch_add` does the same.
    """

    def __init__(
        self,
        thread: LitmusThread,
        locations: Mapping[str, str],
        registers: Mapping[str, str],
        shown: Sequence[str],
        updates: Collection[str],
    ) -> None:
        """`locations` and `registers` say what each is called in Python; `shown` are registers that are returned."""
        self._thread = thread
        self._locations = locations
        self._registers = registers
        self._updates = updates
        self._used = registers_used(thread.body) | {*shown}
        self.wraps = False

    def lines(self) -> list[Line]:
        """All lines; those that initialise registers first, where they may be read before they are written."""
        written = _written_before_read(self._thread.body)
        names, first = self._registers, self._thread.registers
        initial = [
            Line(f"{names[name]} = {json.dumps(first.get(name, 0))}", self._thread.line)
            for name in sorted(self._used - written)
        ]
        return [*initial, *self._lines(self._thread.body)]

    def _lines(self, body: Body) -> Iterator[Line]:
        for statement in body:
            if isinstance(statement, If):
                yield from self._branches(statement)
            else:
                yield Line(self._statement(statement), statement.line)

    def _statement(self, statement: Load | Store | Update | Fence | StoreFence | Assign) -> str:
        match statement:
            case Load(register, address):
                return self._taking(register, f"{self._location(address)}.load()")
            case Store(address, value):
                return f"{self._location(address)}.store({self._expression(value)})"
            case Update(register):
                return self._taking(register, self._update(statement))
            case Fence():
                return "p.fence()"
            case StoreFence():
                return "p.store_fence()"
            case Assign(register, value):
                return f"{self._registers[register]} = {self._expression(value)}"

    def _taking(self, register: str, call: str) -> str:
        return f"{self._registers[register]} = {call}" if register in self._used else call

    def _branches(self, statement: If) -> Iterator[Line]:
        yield Line(f"if {self._condition(statement.condition)}:", statement.line)
        yield from (line.indented() for line in [*self._lines(statement.then)] or [Line("pass", statement.line)])
        if statement.otherwise:
            yield Line("else:", statement.line)
            yield from (line.indented() for line in self._lines(statement.otherwise))

    # -- accesses --------------------------------------------------------------------

    def _location(self, address: Expression) -> str:
        if isinstance(address, Constant):
            return self._locations[str(address.value)]
        return f"addresses[{self._expression(address)}]"

    def _update(self, statement: Update) -> str:
        location = self._location(statement.address)
        new, when = statement.new, statement.when
        if when is None and OLD not in registers_in(new):
            return f"{location}.exchange({self._expression(new)})"
        match new:
            case Binary("+", Register("old"), amount) if when is None and statement.name not in self._updates:
                return f"{location}.fetch_add({self._expression(amount)})"
        written = self._expression(new)
        if when is not None:
            written = f"{written} if {self._condition(when)} else mcr.UNWRITTEN"
        return f"{location}.update(lambda {self._parameters(statement)}: {written}, {self._label(statement)})"

    def _parameters(self, statement: Update) -> str:
        """`old`, and the registers that the function sees: as they are now, whenever it is called."""
        seen = registers_in(statement.new)
        if statement.when is not None:
            seen |= registers_in(statement.when)
        names = sorted(self._registers[name] for name in seen - {OLD})
        return ", ".join([self._registers[OLD], *(f"{name}={name}" for name in names)])

    def _label(self, statement: Update) -> str:
        """Returns the name of the update in reports."""
        arguments = ", ".join(f"{{{self._expression(argument)}}}" for argument in statement.arguments)
        return f'f"{statement.name}({arguments})"'

    # -- expressions --------------------------------------------------------------

    def _condition(self, expression: Expression) -> str:
        """An expression that is only asked whether it is zero."""
        match expression:
            case Binary("==" | "!=" | "<" | "<=" | ">" | ">=" as sign, left, right):
                return f"{self._operand(left)} {sign} {self._operand(right)}"
            case _:
                return self._expression(expression)

    def _expression(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return json.dumps(value)
            case Register(name):
                return self._registers[name]
            case Wrapped(inner, bits, signed):
                self.wraps = True
                return f"wrap({self._expression(inner)}, {bits}{'' if signed else ', signed=False'})"
            case Binary("+" | "-" | "*" | "&" | "|" | "^" as sign, left, right):
                return f"{self._operand(left)} {sign} {self._operand(right)}"
            case Binary("and" | "or" as sign, left, right):
                return f"int(bool({self._expression(left)}) {sign} bool({self._expression(right)}))"
            case Binary():
                return f"int({self._condition(expression)})"

    def _operand(self, expression: Expression) -> str:
        text = self._expression(expression)
        return text if isinstance(expression, Constant | Register | Wrapped) or text.startswith("int(") else f"({text})"


def _written_before_read(body: Body) -> set[str]:
    """Registers that every run writes before any expression reads them."""
    written: set[str] = set()
    read: set[str] = set()
    for statement in body:
        if isinstance(statement, If):
            read |= registers_used((statement,)) - written
            continue
        own = {name for expression in expressions(statement) for name in registers_in(expression)}
        read |= own - written - ({OLD} if isinstance(statement, Update) else set())
        if isinstance(statement, Load | Assign | Update) and statement.register not in read:
            written.add(statement.register)
    return written
