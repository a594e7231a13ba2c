"""Which attributes change after their object was made: those that some code assigns elsewhere than in a constructor.

All others hold for ever what they held when their object became shared, so to
read them is no operation. It is read off the source by name alone, class or no
class; who assigns in a way that is not seen here is refused when it happens.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType

from replay.code.source import parsed

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")

_BY_NAME = ("setattr", "delattr", "__setattr__", "__delattr__")


def varying_names(modules: Iterator[ModuleType | FunctionType]) -> frozenset[str]:
    """The attributes that code of these modules, or of functions that are in no file, assigns."""
    return frozenset().union(*map(_assigned, modules))


def home_of(kind: type) -> ModuleType | None:
    """The module of a class."""
    return sys.modules.get(kind.__module__)


@functools.cache
def _assigned(code: ModuleType | FunctionType) -> frozenset[str]:
    try:
        text = inspect.getsource(code)
        tree = parsed(inspect.cleandoc("\n" + text) if isinstance(code, FunctionType) else text)
    except (OSError, TypeError, SyntaxError):
        return frozenset()
    return frozenset(_names(tree, "", ""))


def _names(node: ast.AST, owner: str, kind: str) -> Iterator[str]:
    """`owner` is what a constructor around the node calls the object that it makes, "" outside; `kind` its class."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from _names(child, _made_by(child) if isinstance(node, ast.ClassDef) else "", kind)
                continue
            case ast.ClassDef():
                yield from _names(child, "", child.name)
                continue
            case ast.Attribute(value=value, attr=name, ctx=ast.Store() | ast.Del()):
                if not (owner and isinstance(value, ast.Name) and value.id == owner):
                    yield _mangled(name, kind)
            case ast.Call(func=function, args=arguments) if _called(function) in _BY_NAME:
                yield from (
                    each.value for each in arguments if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name)), ctx=ast.Store() | ast.Del()):
                if isinstance(value, ast.Attribute) and value.attr == "__dict__":
                    yield name
        yield from _names(child, owner, kind)


def _made_by(function: ast.AST) -> str:
    if isinstance(function, ast.FunctionDef) and function.name in _CONSTRUCTORS and function.args.args:
        return function.args.args[0].arg
    return ""


def _called(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))


def _mangled(name: str, kind: str) -> str:
    is_private = name.startswith("__") and not name.endswith("__") and kind
    return f"_{kind.lstrip('_')}{name}" if is_private else name
