"""The lines and branches that thread code has, read off its text."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType

from replay.code.lines import is_user_code
from replay.code.reachable import reachable
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program

_LIBRARIES = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "purelib", "platlib"))
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)

Definition = tuple[str, int, str]
"""A file, the line in which a function begins, its decorators included, and its name."""


@dataclass(frozen=True)
class Statement:
    """A statement of thread code: its first line and the last one before its body; `file` has it."""

    file: str
    line: int
    last: int


@dataclass(frozen=True)
class Branch:
    """A way out of a statement that decides: into its body if `taken`, else past it.

    to    the line that comes next, 0 for the end of the function
    body  the first line of the body
    """

    statement: Statement
    taken: bool
    to: int
    body: int


def is_theirs(file: str) -> bool:
    """Returns whether a file is of the checked program, and neither Python's nor ours."""
    return is_user_code(file) and os.path.isfile(file) and not file.startswith((*_LIBRARIES, _OWN))


def place_of(code: CodeType) -> Definition:
    return code.co_filename, code.co_firstlineno, code.co_name


def thread_functions(program: Program) -> set[Definition]:
    """The functions that threads and the final function lead to, whether anybody calls them or not.

    What runs while the program is set up is no thread code, unless threads call it.
    """
    declaring: set[Definition] = set()
    roots = _watched(program, declaring).all_code
    found: dict[Definition, CodeType] = {}
    for _, thing in reachable(("", root) for root in roots).values():
        if isinstance(thing, FunctionType):
            found.update(_with_nested(thing.__code__))
    return found.keys() - declaring


def _watched(program: Program, called: set[Definition]) -> Declarations:
    """An instance; adds the functions that are called to make it."""

    def see(frame: FrameType, *_: object) -> None:
        called.add(place_of(frame.f_code))

    before = sys.gettrace()
    sys.settrace(see)
    try:
        return program.instance()
    finally:
        sys.settrace(before)


def _with_nested(code: CodeType) -> Iterator[tuple[Definition, CodeType]]:
    if is_theirs(code.co_filename):
        yield place_of(code), code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from _with_nested(constant)


def text_of(places: Iterable[Definition]) -> tuple[list[Statement], list[Branch]]:
    """The statements and branches of functions that begin there; lambdas belong to the statement they stand in."""
    wanted = set(places)
    statements: list[Statement] = []
    branches: list[Branch] = []
    for file in sorted({file for file, _, _ in wanted}):
        reader = _CodeReader(file)
        for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
            if isinstance(node, _FUNCTIONS) and (file, _first_line(node), node.name) in wanted:
                reader.read(node.body, 0)
        statements += sorted(reader.statements, key=lambda each: each.line)
        branches += sorted(reader.branches, key=lambda each: (each.statement.line, not each.taken))
    return statements, branches


def _first_line(node: ast.stmt) -> int:
    """Returns the line where it begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


class _CodeReader:
    """Takes the statements of functions of a file, without those of functions inside of them."""

    def __init__(self, file: str) -> None:
        self.statements: list[Statement] = []
        self.branches: list[Branch] = []
        self._file = file

    def read(self, body: list[ast.stmt], after: int) -> None:
        """The statements of a block; `after` is the line that comes when it is over, 0 for the end of the function."""
        for number, node in enumerate(body):
            following = body[number + 1].lineno if number + 1 < len(body) else after
            if not _says_nothing(node):
                self._read(node, following)

    def _read(self, node: ast.stmt, following: int) -> None:
        blocks = [] if isinstance(node, _SCOPES) else list(_blocks(node))
        inside = min((block[0].lineno for block in blocks), default=0)
        last = node.lineno if isinstance(node, _SCOPES) else max(node.lineno, inside - 1) if blocks else node.end_lineno
        statement = Statement(self._file, _first_line(node), last or node.lineno)
        if not isinstance(node, ast.Try):  # the word alone is no code
            self.statements.append(statement)
        has_choice = not isinstance(getattr(node, "test", None), ast.Constant)  # other than `while True`
        if isinstance(node, ast.If | ast.While | ast.For) and has_choice and node.body[0].lineno > statement.last:
            body, otherwise = node.body[0].lineno, node.orelse[0].lineno if node.orelse else following
            self.branches += [Branch(statement, True, body, body), Branch(statement, False, otherwise, body)]
        back = node.lineno if isinstance(node, ast.While | ast.For) else following
        for block in blocks:
            self.read(block, back)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if block:
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _says_nothing(node: ast.stmt) -> bool:
    """Docstrings and declarations of names are no code."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Global | ast.Nonlocal)
