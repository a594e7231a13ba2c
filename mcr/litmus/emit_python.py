"""Writes a litmus test as a Python model: it runs when the test does, and `mcr check` takes it as well."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from mcr.litmus.code import OLD, Assign, Load, Register, Store, Update, Value, statements
from mcr.litmus.python_code import Line, PythonCode, registers_used
from mcr.litmus.test import (
    And,
    Column,
    Equals,
    Implies,
    LitmusTest,
    LitmusThread,
    MemoryColumn,
    Not,
    Or,
    Proposition,
    Quantifier,
    RegisterColumn,
)

Key = TypeVar("Key")

CLAIM, STATES, WITNESS = "claim", "states", "witness"
"""What may be asked of a test (`mcr.litmus.program`)."""

_RESERVED = ("p", "mcr", "final", "wrap", "addresses", "mark", "state")


def emit_python(test: LitmusTest) -> str:
    """The text of a Python file with one program, equivalent to the test."""
    return "".join(f"{line.text}\n" for line in Emitter(test).lines())


def identifier(name: str, taken: Collection[str] = ()) -> str:
    """A Python identifier made of a name, none of `taken`."""
    made = re.sub(r"\W+", "_", name).strip("_").lower()
    if not made or made[0].isdigit() or keyword.iskeyword(made):
        made = f"test_{made}"
    while made in taken:
        made += "_"
    return made


def identifiers(names: Mapping[Key, str], taken: Collection[str]) -> dict[Key, str]:
    """Python identifiers made of names, all different and none of `taken`."""
    found: dict[Key, str] = {}
    for key, name in names.items():
        found[key] = identifier(name, [*taken, *found.values()])
    return found


class Emitter:
    """Chooses the names, then writes variables, threads and final function.

    functions  of the threads, in their order
    """

    def __init__(self, test: LitmusTest, ask: str = CLAIM, updates: Collection[str] = ()) -> None:
        """
        ask      what the final function does with a state (`mcr.litmus.program`)
        updates  names of instructions that are called by them, although `fetch_add` does the same
        """
        self._test = test
        self._ask = ask
        self._updates = updates
        self.functions = [thread.name.lower() for thread in test.threads]
        self._handles = [f"t{number}" for number in range(len(test.threads))]
        taken = [*_RESERVED, OLD, *self.functions, *self._handles]
        self._locations = identifiers({name: name for name in test.locations}, taken)
        taken += self._locations.values()
        self._columns = identifiers({column: self._column_name(column) for column in test.all_columns}, taken)
        self._wraps = False

    def _column_name(self, column: Column) -> str:
        if isinstance(column, MemoryColumn):
            return f"final_{self._locations[column.location]}"
        return f"{self.functions[column.thread]}_{column.register}"

    def lines(self) -> list[Line]:
        """The lines of a Python file."""
        test = self._test
        body = [*self._variables(), *self._threads(), "", *self._final()]
        title = f"{test.name}: {test.condition}".replace("\\", "\\\\")
        head = [f'"""{title}', "", "A litmus test, written out by `mcr litmus --emit-python`.", '"""', "", "import mcr"]
        if self._wraps:
            head += _WRAP
        head += ["", "", "@mcr.program", f"def {identifier(test.name, _RESERVED)}(p):"]
        return [*(Line(text, test.line) for text in head), *(self._placed(line).indented() for line in body)]

    def _placed(self, line: Line | str) -> Line:
        """Gives a line to code that stands for no line of a thread: that of the condition."""
        return line if isinstance(line, Line) else Line(line, self._test.condition_line)

    def _variables(self) -> Iterator[str]:
        for name, variable in self._locations.items():
            yield f"{variable} = p.var({json.dumps(name)}, {_literal(self._test.initial.get(name, 0))})"
        if any(map(_has_addresses, self._test.threads)):
            pairs = ", ".join(f"{json.dumps(name)}: {variable}" for name, variable in self._locations.items())
            yield f"addresses = {{{pairs}}}"

    # -- threads -------------------------------------------------------------------

    def _threads(self) -> Iterator[Line | str]:
        for number, thread in enumerate(self._test.threads):
            yield ""
            yield Line(f"def {self.functions[number]}():", thread.line)
            lines = self._thread(thread, self._test.registers(number)) or [Line("pass", thread.line)]
            yield from (line.indented() for line in lines)
        yield ""
        for handle, function, thread in zip(self._handles, self.functions, self._test.threads, strict=True):
            yield Line(f"{handle} = p.thread({function}, name={json.dumps(thread.name)})", thread.line)

    def _thread(self, thread: LitmusThread, shown: Sequence[str]) -> list[Line]:
        registers = self._register_names(thread, shown)
        code = PythonCode(thread, self._locations, registers, shown, self._updates)
        lines = code.lines()
        self._wraps |= code.wraps
        if shown:
            returned = f"return {', '.join(registers[name] for name in shown)}"
            lines.append(Line(returned, lines[-1].number if lines else thread.line))
        return lines

    def _register_names(self, thread: LitmusThread, shown: Sequence[str]) -> dict[str, str]:
        written = {s.register for s in statements(thread.body) if isinstance(s, Assign | Load | Update)}
        names = written | registers_used(thread.body) | {*shown, OLD}
        return identifiers({name: name for name in sorted(names)}, [*_RESERVED, *self._locations.values()])

    # -- the final function ----------------------------------------------------------

    def _final(self) -> Iterator[str]:
        yield "@p.final"
        yield "def final():"
        yield from (f"    {line}" for line in (*self._observations(), *self._claim()))

    def _observations(self) -> Iterator[str]:
        """Lines that load the columns of the final state."""
        columns = self._test.all_columns
        for number, handle in enumerate(self._handles):
            own = [self._columns[c] for c in columns if isinstance(c, RegisterColumn) and c.thread == number]
            if own:
                yield f"{', '.join(own)} = {handle}.join()"
        for column in columns:
            if isinstance(column, MemoryColumn):
                yield f"{self._columns[column]} = {self._locations[column.location]}.load()"
        for column, bits in self._test.unsigned.items():
            if column in self._columns:
                self._wraps = True
                yield f"{self._columns[column]} = wrap({self._columns[column]}, {bits}, signed=False)"

    def _claim(self) -> Iterator[str]:
        """Lines that assert the claim, or mark the state, and return it."""
        test = self._test
        if test.filter is not None:
            yield f"p.assume({self._python(test.filter)})"
        holds = self._python(test.condition.proposition)
        state = " ".join(f"{column}={{{self._columns[column]}}};" for column in test.columns)
        if self._ask == STATES:
            yield f'return f"{state}"'
            return
        if self._ask == CLAIM and test.condition.quantifier is Quantifier.EXISTS:
            yield f'mark = "*>" if {holds} else ":>"'
            yield f'return f"{{mark}}{state}"'
            return
        claim = holds if test.condition.quantifier is Quantifier.FORALL else f"not ({holds})"
        yield f'state = f"{state}"'
        yield f"assert {claim}, {json.dumps(f'{test.condition}: ')} + state"
        yield "return state"

    def _python(self, proposition: Proposition) -> str:
        """A proposition as a Python expression."""
        match proposition:
            case Equals(column, value):
                right = self._columns[value] if isinstance(value, tuple) else _literal(value)
                return f"{self._columns[column]} == {right}"
            case Not(inner):
                return f"not {self._inner(inner)}"
            case And(parts):
                return " and ".join(map(self._inner, parts)) or "True"
            case Or(parts):
                return " or ".join(map(self._inner, parts)) or "False"
            case Implies(left, right_side):
                return f"not {self._inner(left)} or {self._inner(right_side)}"

    def _inner(self, part: Proposition) -> str:
        text = self._python(part)
        return text if isinstance(part, Equals) else f"({text})"


_WRAP = (
    "",
    "",
    "def wrap(value, bits, signed=True):",
    '    """A number cut to some bits; an address stays what it is."""',
    "    if isinstance(value, str):",
    "        return value",
    "    value &= (1 << bits) - 1",
    "    return value - (1 << bits) if signed and value >> (bits - 1) else value",
)


def _literal(value: Value) -> str:
    return json.dumps(value)


def _has_addresses(thread: LitmusThread) -> bool:
    return any(
        isinstance(statement, Load | Store | Update) and isinstance(statement.address, Register)
        for statement in statements(thread.body)
    )
