"""Files that start threads when they are run, by `python` and a name: what a file defines first is imported, and the
rest of it is the main thread.
"""

from __future__ import annotations

import ast
import dis
import symtable
from collections.abc import Callable
from functools import partial
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from replay.code.running_thread import current_run
from replay.code.user_code import stop_here
from replay.errors import ModelError
from replay.frontend.functions import ThreadedFunction
from replay.interpreter.natives import natively


class Script(ThreadedFunction):
    """The rest of a file from a statement on, as the main thread; each run sets the variables of the module anew.

    first   the number of that statement
    idle    the sentence for a file that starts no thread
    """

    def __init__(self, module: ModuleType, path: Path, first: int, idle: str) -> None:
        file = str(module.__file__)
        super().__init__(FunctionType(parts_of(decode_source(path.read_bytes()), file, first)[1], vars(module)))
        self.name = self.__name__ = path.name
        self.file, self.first, self.idle = file, first, idle
        stores = (each for each in dis.get_instructions(self.function) if each.opname == "STORE_GLOBAL")
        self.changing = {f"{module.__name__}.{each.argval}" for each in stores}

    def main(self) -> Callable[..., object]:
        return partial(run_script, self.function, self.idle, self.place)

    @property
    def main_title(self) -> str:
        return self.name


def run_script(main: Any, idle: str, place: str) -> None:
    """Run the rest of a file as Python does: interpreted, as the main thread."""
    try:
        main()
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    _check_threads(idle, place)


@natively
def _check_threads(idle: str, place: str) -> None:
    """Stops the program if the main thread, which has come to its end, has started no thread."""
    if not current_run().counts.get("thread"):
        stop_here(ModelError(idle, place))


# -- the parts of a file ----------------------------------------------------------------


def first_statement(tree: ast.Module) -> int | None:
    """Returns the number of the statement with which the main thread begins: `if __name__ == "__main__"`; where there
    is none, the first one that does more than to define, or assignments before it. None for no such statement.

    What comes before is run once, by Python, as if it was imported.
    """
    numbers = range(len(tree.body))
    guard = next((number for number in numbers if _is_guard(tree.body[number])), None)
    if guard is not None:
        return guard
    first = next((number for number in numbers if not _defines(tree.body[number])), None)
    while first and isinstance(tree.body[first - 1], ast.Assign | ast.AnnAssign):
        first -= 1
    return first


def _is_guard(statement: ast.stmt) -> bool:
    """Returns whether it is `if __name__ == "__main__"`."""
    match statement:
        case ast.If(test=ast.Compare(left=one, ops=[ast.Eq()], comparators=[other])):
            return {ast.unparse(one), ast.unparse(other)} == {"__name__", "'__main__'"}
    return False


_OF_THE_PROCESS = ("sys.path.", "sys.set", "logging.basicConfig", "warnings.", "faulthandler.")
"""Calls with these names set up the process; no thread comes of them."""


def _defines(statement: ast.stmt) -> bool:
    """Returns whether a statement only imports, defines, or gives names to values that no call makes."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Pass():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=called)):
            return ast.unparse(called).startswith(_OF_THE_PROCESS)
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value is None or not _calls(value)
        case ast.If(test=test, body=body, orelse=orelse):
            return not _calls(test) and all(map(_defines, [*body, *orelse]))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=end):
            handled = [each for handler in handlers for each in handler.body]
            return all(map(_defines, [*body, *handled, *orelse, *end]))
    return False


def _calls(expression: ast.expr) -> bool:
    return any(isinstance(each, ast.Call | ast.Await) for each in ast.walk(expression))


def runs_tests(tree: ast.Module) -> bool:
    """Returns whether a file runs the tests of its own, as by `unittest.main()`: these are programs, not the file."""
    calls = (ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call))
    return not {"unittest.main", "pytest.main"}.isdisjoint(calls)


def parts_of(text: str, file: str, first: int) -> tuple[CodeType, CodeType]:
    """Returns the code of the statements of a file before a number, and a function's code for those from it on.

    The function sets variables of the module, but for those that nothing else names: these are its own. Raises
    SyntaxError.
    """
    compile(text, file, "exec", dont_inherit=True)
    tree = ast.parse(text, file)
    definitions, rest = tree.body[:first], tree.body[first:]
    defined = compile(ast.Module(definitions, []), file, "exec", dont_inherit=True)
    names = _shared(text, file, tree, {*defined.co_names})
    future = [each for each in definitions if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
    main: Any = ast.parse("def main(): pass").body[0]
    main.name = "<module>"
    main.body = [*([ast.Global(names)] if names else []), *map(AsFunction().visit, rest)]
    for node in (main, main.body[0]):
        ast.copy_location(node, rest[0])
    module = ast.fix_missing_locations(ast.Module([*future, main], []))
    constants = compile(module, file, "exec", dont_inherit=True).co_consts
    (code,) = (each for each in constants if isinstance(each, CodeType))
    return defined, code


_LOOKS_AT_ALL = frozenset(("globals", "locals", "vars", "dir", "exec", "eval", "__main__", "modules", "__dict__",
                           "__globals__", "_getframe", "currentframe"))  # fmt: skip
"""Names in code that may look at any variable of a module."""


def _shared(text: str, file: str, tree: ast.Module, named: set[str]) -> list[str]:
    """Returns which variables the last statements of a module may have in common with other code of it.

    `named` are names in its first statements.
    """
    table = symtable.symtable(text, file, "exec")
    bound = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    scopes = [*table.get_children()]
    for scope in scopes:
        scopes += scope.get_children()
        named |= {each.get_name() for each in scope.get_symbols() if each.is_global() or each.is_free()}
    used = {getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))) for node in ast.walk(tree)}
    return sorted(bound & named if _LOOKS_AT_ALL.isdisjoint(used) else bound)


class AsFunction(ast.NodeTransformer):
    """Lets statements of a module stand in a function that declares the variables of the module global."""

    def visit(self, node: ast.AST) -> ast.AST:
        has_own = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
        return node if has_own else super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_name = node.id == "__name__" and isinstance(node.ctx, ast.Load)
        return ast.copy_location(ast.Constant("__main__"), node) if is_name else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Assign([node.target], node.value) if node.value else ast.Pass(), node)

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.names[0].name == "*":
            raise SyntaxError(f"line {node.lineno}: import * after a statement that does more than define: move it up")
        return node
