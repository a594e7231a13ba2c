"""Functions compiled again so that variables which they share with others are attributes of what the variables hold.

Where code says `x`, for a variable of a function around it, the new code says
`x.x`: whoever puts an object into the variable gets all that is assigned to it.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from types import CodeType
from typing import Any

from replay.code.bytecode import codes, rebound
from replay.code.source import compiled, parsed
from replay.errors import ModelError

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@functools.cache
def with_attributes(code: CodeType, names: frozenset[str]) -> CodeType:
    """The code of a function that takes these variables, which it does not own, for attributes of what they hold.

    Raises ModelError for code whose source nobody has, or that binds them otherwise than by an assignment.
    """
    where = f"{code.co_filename}:{code.co_firstlineno}"
    listed = ", ".join(sorted(names))
    text = "".join(linecache.getlines(code.co_filename))
    try:
        place = _place(code, list(codes(compiled(parsed(text), code.co_filename))))
    except (SyntaxError, ValueError):
        raise ModelError(
            f"{code.co_name} shares {listed} with other functions, and its source is not there", where
        ) from None
    tree = parsed(text)
    _Attributes(code, names).visit(tree)
    try:
        made = list(codes(compiled(tree, code.co_filename)))[place]
    except (SyntaxError, ValueError, TypeError):
        made = code
    if made.co_freevars != code.co_freevars or made.co_firstlineno != code.co_firstlineno or rebound(made) & names:
        raise ModelError(
            f"{code.co_name} binds {listed} otherwise than by an assignment, which cannot be shared: assign it", where
        )
    return made


def _place(code: CodeType, known: list[CodeType]) -> int:
    """Which of the codes of a file it is. Raises ValueError if it is none."""
    if any(name.startswith("@") for each in codes(code) for name in (*each.co_names, *each.co_varnames)):
        # what pytest makes of `assert`: the code is another one than that of the text
        titles = [(each.co_qualname, each.co_firstlineno) for each in known]
        return titles.index((code.co_qualname, code.co_firstlineno))
    return known.index(code)


class _Attributes(ast.NodeTransformer):
    """Writes the variables as attributes, inside of the function that a code belongs to."""

    def __init__(self, code: CodeType, names: frozenset[str]) -> None:
        self._code = code
        self._names = names
        self._inside: frozenset[str] = frozenset()

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node)
        if isinstance(node, _FUNCTIONS):
            return self._within(node, self._names if self._is_it(node) else self._inside - _own(node))
        return self.generic_visit(node)

    def _comprehension(self, node: ast.AST) -> ast.AST:
        """The first thing that it goes through is computed outside of it."""
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        iterable: Any = self.visit(generators[0].iter)
        generators[0].iter = ast.Constant(None)
        self._within(node, self._inside.difference(*(_bound(each.target) for each in generators)))
        generators[0].iter = iterable
        return node

    def _within(self, node: ast.AST, names: frozenset[str]) -> ast.AST:
        outside, self._inside = self._inside, names
        made = self.generic_visit(node)
        self._inside = outside
        return made

    def _is_it(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        return (name, first) == (self._code.co_name, self._code.co_firstlineno)

    def _variable(self, node: ast.Name) -> ast.AST:
        if node.id not in self._inside:
            return node
        held = ast.copy_location(ast.Name(node.id, ast.Load()), node)
        return ast.copy_location(ast.Attribute(held, node.id, node.ctx), node)


def _own(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The variables of a function itself, and its parameters."""
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [each for statement in body for each in _in_scope(statement)]
    others = {name for each in nodes if isinstance(each, ast.Nonlocal | ast.Global) for name in each.names}
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return (set().union(*map(_bound, nodes)) - others) | given


def _in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to the function around it."""
    yield node
    if not isinstance(node, (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)):
        for each in ast.iter_child_nodes(node):
            yield from _in_scope(each)


def _bound(node: ast.AST) -> set[str]:
    """The names that a node binds itself, or of a target those that are in it."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.Tuple() | ast.List() | ast.Starred():
            return set().union(*map(_bound, ast.iter_child_nodes(node)))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.alias(name=name, asname=other):
            return {other or name.partition(".")[0]}
    return set()
