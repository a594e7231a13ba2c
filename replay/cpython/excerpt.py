"""Of a file that defines a program, what the program needs: so that it can stand in another file, without mcr."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Excerpt = dict[int, str]
"""Lines of a file, by their numbers."""


def excerpt(text: str, name: str, beside: str) -> Excerpt | None:
    """The lines of a module that its function or class of that name needs; None if these cannot be told, or need mcr.

    `beside` is the text in which they will stand: they must not give its names another meaning.
    """
    module = ast.parse(text)
    defined = (each for each in module.body if isinstance(each, ast.FunctionDef | ast.ClassDef))
    program = next((each for each in defined if each.name == name), None)
    if program is None:
        return None
    if isinstance(program, ast.FunctionDef):
        program.decorator_list = []
    statements = [each for each in module.body if not _is_left_out(each)]
    kept: list[ast.stmt] = [program]
    needed = _names(program)
    while more := [each for each in statements if each not in kept and _is_needed(each, needed)]:
        kept += more
        needed |= {found for each in more for found in _names(each)}
    if any(isinstance(each, ast.ImportFrom) and each.names[0].name == "*" for each in statements):
        return None
    theirs, ours = _meanings(kept), _meanings(ast.parse(beside).body)
    if needed & {"mcr", "__file__"} or any(ours.get(name, meaning) != meaning for name, meaning in theirs.items()):
        return None
    lines = text.splitlines()
    first = {each: min([each.lineno, *(at.lineno for at in getattr(each, "decorator_list", []))]) for each in kept}
    kept.sort(key=lambda each: first[each])
    return {number: lines[number - 1] for each in kept for number in range(first[each], (each.end_lineno or 0) + 1)}


def _is_left_out(statement: ast.stmt) -> bool:
    """Returns whether a statement is nothing to the program: imports of mcr, `if __name__ == "__main__"`, texts."""
    match statement:
        case ast.Import(names=names):
            return any(each.name.partition(".")[0] == "mcr" for each in names)
        case ast.ImportFrom(module=name):
            return (name or "").partition(".")[0] in ("mcr", "__future__")
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
    return False


def _is_needed(statement: ast.stmt, needed: set[str]) -> bool:
    """Returns whether a statement gives a needed name its value, or does something to it."""
    bound = {*_bound(statement)}
    return bool((bound or _names(statement)) & needed)


def _meanings(statements: list[ast.stmt]) -> dict[str, str]:
    """By the names that statements of a module bind: what is imported by it; the statement itself for others."""
    found = {}
    for each in statements:
        for name in _bound(each):
            found[name] = ast.dump(each)
        if isinstance(each, ast.Import | ast.ImportFrom):
            module = getattr(each, "module", "")
            found |= {alias.asname or alias.name.partition(".")[0]: f"{module}.{alias.name}" for alias in each.names}
    return found


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names of the module to which a statement gives a value."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        match node:
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def _names(statement: ast.stmt) -> set[str]:
    """All names that a statement speaks of."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
