"""Functions compiled again so that variables which they share with others are attributes of an object.

Where code says `x`, for a variable of a function around it, the new code says `x.x`: whoever puts an object into the
variable gets all that is assigned to it. For a global variable it says `module.x`, so that the module decides what it
holds.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

from replay.code.bytecode import codes, rebound
from replay.code.facts import facts
from replay.code.source import compiled, parsed
from replay.errors import ModelError

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


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
    _AsAttributes({name: (name, name) for name in names}, code).visit(tree)
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
        return _titles(known).index((code.co_qualname, code.co_firstlineno))
    return known.index(code)


def _titles(known: list[CodeType]) -> list[tuple[str, int]]:
    return [(each.co_qualname, each.co_firstlineno) for each in known]


class WithoutGlobals:
    """The functions of a file as they are when global variables of these names are attributes of something else.

    names  what is written instead of each: the global variable that holds the other thing, and the attribute
    """

    def __init__(self, file: str, names: Mapping[str, tuple[str, str]]) -> None:
        """Raises ModelError if nobody has the source, or it binds the variables otherwise than by an assignment."""
        self._file = file
        self._names = names
        text = "".join(linecache.getlines(file))
        try:
            self._before = list(codes(compiled(parsed(text), file)))
            self._titles = _titles(self._before)
            self._after = list(codes(compiled(_AsAttributes(names).visit(parsed(text)), file)))
        except (SyntaxError, ValueError, TypeError):
            raise ModelError(
                f"the functions of {file} cannot be compiled again so that {', '.join(names)} become memory", file
            ) from None

    def changed(self, code: CodeType) -> CodeType:
        """The code of a function. Raises ModelError for one that is not in the file."""
        if self._names.keys().isdisjoint(facts(code).of_module):
            return code
        title = code.co_qualname, code.co_firstlineno
        where = f"{code.co_filename}:{code.co_firstlineno}"
        if code.co_filename != self._file or title not in self._titles:
            raise ModelError(f"{code.co_name} uses a variable of a module, and its source is not there", where)
        place = self._before.index(code) if code in self._before else self._titles.index(title)
        made = self._after[place]
        is_found = code in self._before or self._titles.count(title) == 1
        left = facts(made).of_module & self._names.keys()
        if left or not is_found or made.co_freevars != code.co_freevars:
            listed = ", ".join(sorted(left or self._names.keys() & facts(code).of_module))
            raise ModelError(
                f"{code.co_name} binds {listed} otherwise than by an assignment, which cannot be shared: assign it",
                where,
            )
        return made


class _AsAttributes(ast.NodeTransformer):
    """Writes variables as attributes of something else, wherever functions use them.

    What stands in the module itself is left alone: it has run.
    """

    def __init__(self, names: Mapping[str, tuple[str, str]], function: CodeType | None = None) -> None:
        """`names` says what is written instead of each: the variable that holds the other thing, and the attribute.

        They are global variables, or those of functions around `function`, inside of which they are written.
        """
        self._names = names
        self._function = function
        self._in_functions = frozenset(names if function is None else ())
        """Those that a function which stands here would find."""
        self._here: frozenset[str] = frozenset()
        """Those that the code which stands here finds."""

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Name() if node.id in self._here:
                owner, attribute = self._names[node.id]
                held = ast.copy_location(ast.Name(owner, ast.Load()), node)
                return ast.copy_location(ast.Attribute(held, attribute, node.ctx), node)
            case ast.AnnAssign(target=ast.Name(id=name)) if name in self._here:
                node.simple = 0
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return self._inside(node)
            case ast.ClassDef():
                bound = set().union(*map(_bound, (each for line in node.body for each in _in_scope(line))))
                return self._within(node, self._here - bound, self._in_functions)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node)
        return self.generic_visit(node)

    def _inside(self, node: _Function) -> ast.AST:
        """A function: its decorators, default values and annotations are computed outside of it."""
        self.generic_visit(node.args)
        if not isinstance(node, ast.Lambda):
            node.decorator_list = [self.visit(each) for each in node.decorator_list]
            node.returns = node.returns and self.visit(node.returns)
        body = node.body if isinstance(node.body, list) else [node.body]
        before = self._here, self._in_functions
        self._here = self._in_functions = self._found_by(node)
        made = [self.visit(each) for each in body]
        self._here, self._in_functions = before
        if isinstance(node, ast.Lambda):
            (node.body,) = made
        else:
            node.body = made
        return node

    def _found_by(self, node: _Function) -> frozenset[str]:
        """The variables that the code of a function finds."""
        own, declared = _own(node)
        if self._function is None:
            return (self._in_functions - own) | (self._names.keys() & declared)
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        is_it = (name, first) == (self._function.co_name, self._function.co_firstlineno)
        return frozenset(self._names) if is_it else self._in_functions - own - declared

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.AST:
        """The first thing that it goes through is computed outside of it."""
        iterable = self.visit(node.generators[0].iter)
        node.generators[0].iter = ast.Constant(None)
        bound = set().union(*(_bound(each) for line in node.generators for each in ast.walk(line.target)))
        self._within(node, self._here - bound, self._in_functions - bound)
        node.generators[0].iter = iterable
        return node

    def _within(self, node: ast.AST, here: frozenset[str], in_functions: frozenset[str]) -> ast.AST:
        before = self._here, self._in_functions
        self._here, self._in_functions = here, in_functions
        made = self.generic_visit(node)
        self._here, self._in_functions = before
        return made


def _own(function: _Function) -> tuple[set[str], set[str]]:
    """The variables of a function itself, its parameters among them; and those that it declares to be global."""
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [each for statement in body for each in _in_scope(statement)]
    declared = {name for each in nodes if isinstance(each, ast.Global) for name in each.names}
    others = {name for each in nodes if isinstance(each, ast.Nonlocal) for name in each.names}
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return (set().union(*map(_bound, nodes)) - others - declared) | given, declared


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
