"""A litmus test as a program: `mcr check`, `replay` and `compare` take it like any other.

What runs is the Python model that `mcr litmus --emit-python` writes, each line of it in the place of the line of the
test that it stands for. What the program asks depends on its parameter `ask`:

    "claim"    (default) `~exists` and `forall` are assertions of the final
               function; `exists` claims nothing about all runs, so every final
               state is reported, those that satisfy it marked "*>", as litmus7 does
    "states"   nothing is asserted; every final state is reported
    "witness"  assert that no state satisfies the proposition (`forall`: that all do),
               so that a state which decides the question is found, shortened and replayable
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from mcr.litmus.emit_python import CLAIM, STATES, WITNESS, Emitter, emit_python
from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse_file
from mcr.litmus.test import LitmusTest
from replay.frontend.program import Program

ASKS = (CLAIM, STATES, WITNESS)

_GUARDED = "try: pass\nexcept (KeyError, TypeError) as error: refuse(error)"
"""Around the code of a thread: what a register holds is known only when it is used as an address, or as a number."""


def programs_of(path: Path) -> list[Program]:
    """The program that a .litmus file holds: the loader for this suffix."""
    return [LitmusProgram(parse_file(path))]


class LitmusProgram(Program):
    """The program of a test; its name is the test's, its lines are those of the file."""

    def __init__(self, test: LitmusTest, arguments: dict[str, object] | None = None) -> None:
        super().__init__(_compiled(test, str((arguments or {}).get("ask", CLAIM))), arguments)
        self.test = test
        self.name = test.name
        self.__doc__ = test.document or str(test.condition)
        self.file = test.file
        self.line = test.line

    def __call__(self, **arguments: object) -> Program:
        for name, value in arguments.items():
            if name != "ask" or value not in ASKS:
                raise LitmusError(f"a litmus test has one parameter, ask: {', '.join(map(repr, ASKS))}", self.file)
        return LitmusProgram(self.test, {**self.arguments, **arguments})

    def fingerprint(self) -> str:
        """A digest of what the test does, blind to layout."""
        return hashlib.sha256(emit_python(self.test).encode()).hexdigest()[:16]


def _compiled(test: LitmusTest, ask: str) -> Callable[..., object]:
    """The function of the Python model of a test, as if it stood in the file of the test."""
    emitter = Emitter(test, ask, updates=("add",))
    lines = emitter.lines()
    tree = ast.parse("\n".join(line.text for line in lines))
    names = {function: thread.name for function, thread in zip(emitter.functions, test.threads, strict=True)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            guarded: Any = ast.parse("\n" * (node.lineno - 1) + _GUARDED).body[0]
            node.name, guarded.body, node.body = names[node.name], node.body, [guarded]
        elif isinstance(node, ast.FunctionDef) and node.name == "final":
            node.name = "condition"
        elif isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    (model,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list)
    model.args.args.append(ast.arg("ask"))
    for each in ast.walk(tree):
        if isinstance(each, ast.stmt | ast.expr | ast.arg | ast.excepthandler):
            each.lineno = each.end_lineno = lines[each.lineno - 1].number if hasattr(each, "lineno") else test.line
            each.col_offset = each.end_col_offset = 0
    model.args.defaults.append(ast.copy_location(ast.Constant(CLAIM), model))

    def refuse(error: Exception) -> NoReturn:
        assert error.__traceback__ is not None
        where = f"{test.file}:{error.__traceback__.tb_lineno}"
        if isinstance(error, KeyError):
            raise LitmusError(f"an access to {error.args[0]!r}, which is no location", where)
        raise LitmusError("arithmetic on an address is not supported", where)

    namespace: dict[str, Any] = {"__name__": test.file, "refuse": refuse}
    exec(compile(tree, test.file, "exec"), namespace)
    function: Callable[..., object] = namespace[model.name].function
    return function
