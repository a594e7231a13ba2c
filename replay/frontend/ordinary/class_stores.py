"""Which attributes of classes change while a program runs: read off the source, as it is of attributes of objects.

A class attribute is memory if some code assigns it otherwise than on an object
(`cls.made = ...`, `Account.total += 1`, `type(self).made = ...`), or if it is a
container that some code may change where it is. All others hold for ever what
they hold; who assigns one of these is refused when it happens.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replay.frontend.ordinary.sources import Source, tree_of

_LOOKING = (
    *("get", "keys", "values", "items", "copy", "index", "count", "union", "intersection", "difference"),
    *("symmetric_difference", "issubset", "issuperset", "isdisjoint"),
)
"""Methods of containers that change nothing."""

_LOOKING_FUNCTIONS = ("len", "sorted", "list", "tuple", "dict", "set", "frozenset", "sum", "min", "max", "any", "all")

_BY_NAME = ("setattr", "delattr")


class ClassStore(NamedTuple):
    """An assignment to an attribute of a class: `kind` is its name, "" if nobody knows which it is."""

    attribute: str
    kind: str


class Stores(NamedTuple):
    """What some code does to attributes of classes; `changed` are those that may hold something that it changes."""

    stored: frozenset[ClassStore]
    changed: frozenset[str]


def stores_of(sources: Iterable[Source]) -> Stores:
    """What the code of these sources does."""
    found = [_stores_in(each) for each in sources]
    return Stores(
        frozenset().union(*(each.stored for each in found)), frozenset().union(*(each.changed for each in found))
    )


@functools.cache
def _stores_in(source: Source) -> Stores:
    tree = tree_of(source)
    if tree is None:
        return Stores(frozenset(), frozenset())
    return Stores(frozenset(_stored(tree, _Scope("", "", frozenset()))), frozenset(_changed(tree)))


class _Scope(NamedTuple):
    """Where some code stands: in which class, what its function calls a class that it is given, and what is local."""

    kind: str
    given: str
    local: frozenset[str]


def _stored(node: ast.AST, scope: _Scope) -> Iterator[ClassStore]:
    for child in ast.iter_child_nodes(node):
        inner = scope
        match child:
            case ast.ClassDef():
                inner = _Scope(child.name, "", frozenset())
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inner = _Scope(scope.kind, given_class(child) or scope.given, scope.local | _locals_of(child))
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                yield from _store(owner, name, scope)
            case ast.Call(func=ast.Name(id=function), args=[owner, ast.Constant(value=str(name)), *_]):
                if function in _BY_NAME:
                    yield from _store(owner, name, scope)
        yield from _stored(child, inner)


def _store(owner: ast.expr, name: str, scope: _Scope) -> Iterator[ClassStore]:
    if is_class(owner, scope.given):
        yield ClassStore(mangled(name, scope.kind), scope.kind)
        return
    parts = ast.unparse(owner).split(".") if isinstance(owner, ast.Attribute | ast.Name) else []
    if parts and parts[0].isidentifier() and parts[0] not in scope.local:
        yield ClassStore(mangled(name, scope.kind), parts[-1])


def is_class(owner: ast.expr, given: str) -> bool:
    """Whether an expression can only be a class: that of an object, or one that a function is given."""
    match owner:
        case ast.Name(id=name):
            return name == "__class__" or (name == given and name != "")
        case ast.Call(func=ast.Name(id="type"), args=[_]):
            return True
        case ast.Attribute(attr="__class__"):
            return True
    return False


def given_class(function: ast.AST) -> str:
    """What a class method, or `__new__`, calls the class that it is given; "" for other functions."""
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return ""
    marks = [getattr(each, "id", "") for each in function.decorator_list]
    is_given = "classmethod" in marks or function.name in ("__new__", "__init_subclass__")
    return function.args.args[0].arg if is_given else ""


def _locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    given = {each.arg for each in every if each is not None}
    declared = {name for each in ast.walk(function) if isinstance(each, ast.Global) for name in each.names}
    assigned = {
        each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return frozenset(given | assigned) - declared


def _changed(tree: ast.AST) -> Iterator[str]:
    """The attributes of which more is done than to look at what a container holds."""
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load) and _may_change(parent, child):
                yield child.attr


def _may_change(parent: ast.AST, used: ast.Attribute) -> bool:
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()) if value is used:
            return False
        case ast.Attribute(attr=method):
            return method not in _LOOKING
        case ast.Call(func=ast.Name(id=function)) if parent.func is not used:
            return function not in _LOOKING_FUNCTIONS
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp() | ast.FormattedValue() | ast.If() | ast.While():
            return False
        case ast.For() | ast.comprehension() | ast.Starred() | ast.BinOp():
            return False
    return not (isinstance(parent, ast.Call) and parent.func is used)


def mangled(name: str, kind: str) -> str:
    """An attribute as Python calls it that code inside a class assigns."""
    is_private = name.startswith("__") and not name.endswith("__") and kind
    return f"_{kind.lstrip('_')}{name}" if is_private else name
