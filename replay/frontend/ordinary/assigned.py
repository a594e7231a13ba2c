"""Which attributes change after their object was made: those that some code assigns elsewhere than in a constructor.

All others hold for ever what they held when their object became shared, so to
read them is no operation. It is read off the source by name alone, class or no
class; who assigns in a way that is not seen here is refused when it happens.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replay.frontend.ordinary.class_stores import given_class, is_class, mangled
from replay.frontend.ordinary.sources import Source, tree_of

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")

_BY_NAME = ("setattr", "delattr", "__setattr__", "__delattr__")


def varying_names(sources: Iterable[Source], *, constructed: bool = False) -> frozenset[str]:
    """The attributes that code of these sources assigns.

    `constructed`: in a constructor as well, since others may have the object before that runs.
    """
    return frozenset().union(*(_assigned(each, constructed) for each in sources))


class _Scope(NamedTuple):
    """Where some code stands.

    made     what a constructor calls the object that it makes, "" outside
    until    the line up to which nobody else has that object
    given    what a function calls a class that it is given
    kind     the class around it
    classes  those of the file
    """

    made: str
    until: float
    given: str
    kind: str
    classes: frozenset[str]


@functools.cache
def _assigned(source: Source, constructed: bool) -> frozenset[str]:
    tree = tree_of(source)
    if tree is None:
        return frozenset()
    classes = frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.ClassDef))
    return frozenset(_names(tree, _Scope("", 0, "", "", classes), constructed))


def _names(node: ast.AST, scope: _Scope, constructed: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = scope
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                made = "" if constructed or not isinstance(node, ast.ClassDef) else _made_by(child)
                inner = scope._replace(
                    made=made, until=_private_until(child, made), given=given_class(child) or scope.given
                )
            case ast.ClassDef():
                inner = _Scope("", 0, "", child.name, scope.classes)
            case ast.Attribute(value=value, attr=name, ctx=ast.Store() | ast.Del()):
                if not (_is_made(value, scope) or _is_class(value, scope)):
                    yield mangled(name, scope.kind)
            case ast.Call(func=function, args=arguments) if _called(function) in _BY_NAME:
                yield from (
                    each.value for each in arguments if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name)), ctx=ast.Store() | ast.Del()):
                if isinstance(value, ast.Attribute) and value.attr == "__dict__":
                    yield name
        yield from _names(child, inner, constructed)


def _is_made(value: ast.expr, scope: _Scope) -> bool:
    """Whether it is an object that nobody else has yet."""
    return scope.made != "" and isinstance(value, ast.Name) and value.id == scope.made and value.lineno <= scope.until


def _is_class(value: ast.expr, scope: _Scope) -> bool:
    return is_class(value, scope.given) or (isinstance(value, ast.Name) and value.id in scope.classes)


def _made_by(function: ast.AST) -> str:
    if isinstance(function, ast.FunctionDef) and function.name in _CONSTRUCTORS and function.args.args:
        return function.args.args[0].arg
    return ""


def _private_until(function: ast.AST, made: str) -> float:
    """The line in which a constructor first does something else with its object than to use its attributes."""
    attributes = {id(each.value) for each in ast.walk(function) if isinstance(each, ast.Attribute)}
    constructors = {
        id(argument)
        for each in ast.walk(function)
        if isinstance(each, ast.Call) and _called(each.func) in _CONSTRUCTORS
        for argument in each.args
    }
    return min(
        (
            each.lineno
            for each in ast.walk(function)
            if isinstance(each, ast.Name) and each.id == made and id(each) not in attributes | constructors
        ),
        default=float("inf"),
    )


def _called(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))
