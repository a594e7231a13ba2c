"""A litmus test as a program: `mcr check`, `replay` and `compare` take it like any other.

What the program asks depends on its parameter `ask`:

    "claim"    (default) `~exists` and `forall` are assertions of the final
               function; `exists` claims nothing about all runs, so every final
               state is reported, those that satisfy it marked "*>", as litmus7 does
    "states"   nothing is asserted; every final state is reported
    "witness"  assert that no state satisfies the proposition (`forall`: that all do),
               so that a state which decides the question is found, shortened and replayable
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

from mcr.litmus.errors import LitmusError
from mcr.litmus.final import FinalState
from mcr.litmus.interpreter import Interpreter
from mcr.litmus.parser import parse_file
from mcr.litmus.placed import placed
from mcr.litmus.test import LitmusTest
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.world.operation import Location

ASKS = ("claim", "states", "witness")


def programs_of(path: Path) -> list[Program]:
    """The program that a .litmus file holds: the loader for this suffix."""
    return [LitmusProgram(parse_file(path))]


class LitmusProgram(Program):
    """The program of a test; its name is the test's, its lines are those of the file."""

    def __init__(self, test: LitmusTest, arguments: dict[str, object] | None = None) -> None:
        super().__init__(self._declare, arguments)
        self.test = test
        self.name = test.name
        self.__doc__ = test.document or str(test.condition)
        self.file = test.file
        self.line = test.line
        self._locations = {name: Location(name, test.initial.get(name, 0)) for name in test.locations}
        self._codes = [self._code_of(number) for number in range(len(test.threads))]
        self._final = FinalState(test, self._locations)

    def __call__(self, **arguments: object) -> Program:
        for name, value in arguments.items():
            if name != "ask" or value not in ASKS:
                raise LitmusError(f"a litmus test has one parameter, ask: {', '.join(map(repr, ASKS))}", self.file)
        return LitmusProgram(self.test, {**self.arguments, **arguments})

    def returning_results(self) -> Program:
        """The same program: its final function always returns the final state."""
        return self

    def fingerprint(self) -> str:
        """A digest of what the test does, blind to layout."""
        test = self.test
        initial = [(location.name, location.initial) for location in self._locations.values()]
        threads = [(thread.body, sorted(thread.registers.items())) for thread in test.threads]
        parts = (initial, threads, test.condition, test.extra, test.filter)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def _declare(self, p: Declarations, ask: str = "claim") -> None:
        for thread, code in zip(self.test.threads, self._codes, strict=True):
            p.thread(code, name=thread.name)
        check = functools.partial(self._final.check, ask)
        p.final(placed(check, self.test.file, self.test.condition_line))

    def _code_of(self, number: int) -> Callable[[], object]:
        """The code of a thread; it returns the registers that final states speak of."""
        test = self.test
        thread, shown = test.threads[number], test.registers(number)

        def code() -> object:
            registers = Interpreter(test.file, thread.name, self._locations).run(thread.body, thread.registers)
            return tuple(registers.get(name, 0) for name in shown)

        return code
