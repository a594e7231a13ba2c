"""Makes a program smaller that checker and executor do not agree on, statement by statement."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator


def shrink(source: str, is_wrong: Callable[[str], bool]) -> str:
    """A smaller program that is still wrong: no single statement of it can be left out or replaced by its parts."""
    source = ast.unparse(ast.parse(source))
    smaller: str | None = source
    while smaller is not None:
        source = smaller
        smaller = next((each for each in _smaller(source) if is_wrong(each)), None)
    return source


def _smaller(source: str) -> Iterator[str]:
    """The program with one statement changed, larger statements first."""
    tree = ast.parse(source)
    sizes = {id(body): sum(1 for each in body for _ in ast.walk(each)) for body in _bodies(tree)}
    order = sorted(range(len(sizes)), key=lambda number: -list(sizes.values())[number])
    for body in order:
        for position in range(len(_body(tree, body))):
            for replacement in _replacements(_body(tree, body)[position]):
                other = ast.parse(source)
                statements = _body(other, body)
                statements[position : position + 1] = replacement
                if not statements:
                    statements.append(ast.Pass())
                changed = ast.unparse(ast.fix_missing_locations(other))
                if changed != source and _is_python(changed):
                    yield changed


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, outermost first; those of `while` loops stay, since without them one may not end."""
    todo: deque[ast.AST] = deque([tree])
    while todo:
        node = todo.popleft()
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and not (isinstance(node, ast.While) and name == "body"):
                yield body
        todo.extend(() if isinstance(node, ast.While) else ast.iter_child_nodes(node))


def _body(tree: ast.AST, number: int) -> list[ast.stmt]:
    return list(_bodies(tree))[number]


def _replacements(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """What may stand for a statement: nothing, one of its blocks, itself without some of them or with less to do."""
    yield []
    for body in _bodies(statement):
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield body
    if isinstance(statement, ast.Try | ast.TryStar):
        for handler in statement.handlers:
            yield handler.body
            rest = [each for each in statement.handlers if each is not handler]
            if rest or statement.finalbody:
                yield [type(statement)(statement.body, rest, [], statement.finalbody)]
        if statement.handlers and statement.finalbody:
            yield [type(statement)(statement.body, statement.handlers, statement.orelse, [])]
        if statement.handlers and statement.orelse:
            yield [type(statement)(statement.body, statement.handlers, [], statement.finalbody)]
    if isinstance(statement, ast.Match):
        for case in statement.cases:
            yield case.body
            if len(statement.cases) > 1:
                yield [ast.Match(statement.subject, [each for each in statement.cases if each is not case])]
    if isinstance(statement, ast.If | ast.For | ast.While) and statement.orelse:
        yield [_without_else(statement)]
    if isinstance(statement, ast.Assign | ast.Return | ast.Expr) and statement.value is not None:
        for value in _simpler(statement.value):
            yield [_with_value(statement, value)]


def _without_else(statement: ast.If | ast.For | ast.While) -> ast.stmt:
    other: ast.If | ast.For | ast.While = ast.parse(ast.unparse(statement)).body[0]  # type: ignore[assignment]
    other.orelse = []
    return other


def _with_value(statement: ast.Assign | ast.Return | ast.Expr, value: ast.expr) -> ast.stmt:
    if isinstance(statement, ast.Assign):
        return ast.Assign(statement.targets, value, lineno=1)
    return type(statement)(value)


def _simpler(value: ast.expr) -> Iterator[ast.expr]:
    """Expressions that are a part of this one, and numbers."""
    for node in ast.walk(value):
        if node is not value and isinstance(node, ast.Call | ast.BinOp | ast.Yield | ast.Name):
            yield node
    if not isinstance(value, ast.Constant):
        yield ast.Constant(0)
        yield ast.Constant(1)


def _is_python(source: str) -> bool:
    try:
        compile(source, "<shrunk>", "exec")
    except SyntaxError:
        return False
    return True
