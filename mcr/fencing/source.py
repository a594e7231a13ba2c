"""The text of a program: after which lines a fence can be put, how it is written there, and the difference."""

from __future__ import annotations

import ast
import difflib
import functools
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence

from mcr.fencing.fence import Fence, in_order
from replay.code.fences import Line
from replay.frontend.program import Program
from replay.world.operation import Kind

CALLS = {Kind.FENCE: "fence", Kind.STORE_FENCE: "store_fence"}
"""The methods of declarations that are fences."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFAULT = "p"
"""What programs call their declarations."""


def takes_fence_after(line: Line) -> bool:
    """Whether the line is a statement that does nothing after its store: a call of `store`, alone on its lines."""
    statement = _statement(line)
    if statement is None or not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Yield) and value.value is not None:
        value = value.value
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "store"):
        return False
    lines = _lines(line[0])
    before = lines[statement.lineno - 1][: statement.col_offset]
    last = lines[(statement.end_lineno or statement.lineno) - 1]
    after = last.encode()[statement.end_col_offset or 0 :].decode().strip()
    return not before.strip() and (not after or after.startswith("#"))


def with_fences(file: str, fences: Iterable[Fence], program: Program) -> list[str]:
    """The lines of a file, with these fences in it."""
    lines = list(_lines(file))
    for fence in reversed(in_order(fences)):
        statement = _statement(fence.line)
        assert statement is not None and statement.end_lineno is not None
        text = f"{_declarations(fence.line, program)}.{CALLS[fence.kind]}()"
        lines.insert(statement.end_lineno, f"{lines[statement.lineno - 1][: statement.col_offset]}{text}\n")
    return lines


def difference(fences: Sequence[Fence], program: Program, shown: Callable[[str], str]) -> list[str]:
    """What to change in the program to have these fences, in the unified format; `shown` names files."""
    found: list[str] = []
    for file in sorted({fence.line[0] for fence in fences}):
        name = shown(file)
        here = [fence for fence in fences if fence.line[0] == file]
        changed = with_fences(file, here, program)
        found += difflib.unified_diff(_lines(file), changed, name, name, n=1, lineterm="\n")
    return [line.rstrip("\n") for line in found]


def text_at(line: Line) -> str:
    """What a line says."""
    lines = _lines(line[0])
    return lines[line[1] - 1].strip() if 0 < line[1] <= len(lines) else ""


def _lines(file: str) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in linecache.getlines(file)]


@functools.lru_cache(16)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _enclosing(line: Line) -> Iterator[ast.AST]:
    """The statements that a line belongs to, from the outermost inwards."""
    node: ast.AST | None = _tree("".join(_lines(line[0])))
    while node is not None:
        children = (child for child in ast.walk(node) if child is not node and isinstance(child, ast.stmt))
        inside = [child for child in children if child.lineno <= line[1] <= (child.end_lineno or 0)]
        node = min(inside, key=lambda child: (child.lineno, -(child.end_lineno or 0), child.col_offset), default=None)
        if node is not None:
            yield node


def _statement(line: Line) -> ast.stmt | None:
    """The innermost statement that a line belongs to; None if that is not one alone."""
    found = [node for node in _enclosing(line) if isinstance(node, ast.stmt)]
    return found[-1] if found else None


def _declarations(line: Line, program: Program) -> str:
    """How the code around a line calls what the program declares on."""
    name = next(iter(program.function.__code__.co_varnames), _DEFAULT)
    outer = [node for node in _enclosing(line) if isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    if any(name in _parameters(node) for node in outer if isinstance(node, _FUNCTIONS)):
        return name
    for node in reversed(outer):
        if isinstance(node, ast.ClassDef) and _keeps(node, name):
            return f"self.{name}"
    return name


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    return [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _keeps(node: ast.ClassDef, name: str) -> bool:
    """Whether objects of a class have an attribute of that name."""
    return any(isinstance(child, ast.Attribute) and child.attr == name for child in ast.walk(node))
