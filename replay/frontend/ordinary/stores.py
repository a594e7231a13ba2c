"""Which attributes of objects and classes some code assigns, read off the source that a program is made of.

An attribute of an object changes if some code assigns it elsewhere than in a constructor. All others hold for ever what
they held when their object became shared, so to read them is no operation. That goes by name alone, class or no class.

A class attribute is memory if some code assigns it otherwise than on an object (`cls.made = ...`, `Account.total += 1`,
`type(self).made = ...`), or if it is a container that some code may change where it is. All others hold for ever what
they hold. Who assigns in a way that is not seen here is refused when it happens.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import typing
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeGuard

from replay.code.lines import is_of_library
from replay.code.source import parsed

Source = ModuleType | FunctionType
"""A module, or a function that is in no file."""

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
_BY_NAME = ("setattr", "delattr", "__setattr__", "__delattr__")

_LOOKING = (
    *("get", "keys", "values", "items", "copy", "index", "count", "union", "intersection", "difference"),
    *("symmetric_difference", "issubset", "issuperset", "isdisjoint"),
)
"""Methods of containers that change nothing."""

_LOOKING_FUNCTIONS = ("len", "sorted", "list", "tuple", "dict", "set", "frozenset", "sum", "min", "max", "any", "all")


class ClassStore(NamedTuple):
    """An assignment to an attribute of a class: `kind` is its name, "" if nobody knows which it is."""

    attribute: str
    kind: str


class Stores(NamedTuple):
    """What some code does to attributes.

    varying  those of objects that it assigns
    early    those that it assigns in a constructor, as long as nobody else has the object
    classes  those of classes that it assigns
    changed  those that may hold something which it changes where it is
    """

    varying: frozenset[str]
    early: frozenset[str]
    classes: frozenset[ClassStore]
    changed: frozenset[str]


def sources_of(kind: Any, function: Any) -> list[Source]:
    """The file of a program's function, or that function; and the modules of a class and its bases.

    But not `typing`, which assigns attributes of protocols only while these are made.
    """
    home = sys.modules.get(function.__module__)
    in_file = isinstance(home, ModuleType) and getattr(home, "__file__", None)
    found: list[Any] = [home if in_file else function]
    for each in kind.__mro__:
        if each is not object:
            names = [method.__globals__.get("__name__") for method in vars(each).values() if _is_function(method)]
            found += [sys.modules.get(name) for name in (each.__module__, *names)]
    return [source for source in dict.fromkeys(found) if source is not None and source is not typing]


def _is_function(held: object) -> TypeGuard[FunctionType]:
    """Whether it is a function that is not of Python's own library, which puts some into classes, as of protocols."""
    return isinstance(held, FunctionType) and not is_of_library(held.__code__)


def stores_of(sources: Iterable[Source]) -> Stores:
    """What the code of these sources does."""
    found = [_stores_in(each) for each in sources]
    return Stores(*(frozenset[Any]().union(*parts) for parts in zip(*found, strict=True)))


@functools.cache
def _stores_in(source: Source) -> Stores:
    """What the code of one source does; nothing if nobody has its text."""
    try:
        text = inspect.getsource(source)
        tree = parsed(inspect.cleandoc("\n" + text) if isinstance(source, FunctionType) else text)
    except (OSError, TypeError, SyntaxError):
        return Stores(frozenset(), frozenset(), frozenset(), frozenset())
    stores = list(_stores(tree, _Scope(classes=_classes_in(tree))))
    return Stores(
        frozenset(name for name in stores if isinstance(name, str)),
        frozenset(each.attribute for each in stores if isinstance(each, _EarlyStore)),
        frozenset(each for each in stores if isinstance(each, ClassStore)),
        frozenset(_changed(tree)),
    )


def _classes_in(tree: ast.AST) -> frozenset[str]:
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.ClassDef))


class _EarlyStore(NamedTuple):
    """An assignment to an attribute of an object that nobody else has yet."""

    attribute: str


class _Scope(NamedTuple):
    """Where some code stands.

    classes  those of the file
    kind     the class around it
    made     what a constructor calls the object that it makes, "" outside
    until    the line up to which nobody else has that object
    given    what a function calls a class that it is given
    local    the local variables
    """

    classes: frozenset[str]
    kind: str = ""
    made: str = ""
    until: float = 0
    given: str = ""
    local: frozenset[str] = frozenset()

    def inside(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, *, is_method: bool) -> _Scope:
        """That of the code of a function which stands here."""
        made = _made_by(function) if is_method else ""
        given = _given_class(function) or self.given
        local = self.local | _locals_of(function)
        return self._replace(made=made, until=_private_until(function, made), given=given, local=local)

    def own(self, name: str) -> str:
        """An attribute as Python calls it that code which stands here assigns."""
        is_private = name.startswith("__") and not name.endswith("__") and self.kind
        return f"_{self.kind.lstrip('_')}{name}" if is_private else name

    def is_class(self, owner: ast.expr) -> bool:
        """Whether an expression can only be a class: that of an object, or one that a function is given."""
        match owner:
            case ast.Name(id=name):
                return name == "__class__" or (name == self.given and name != "")
            case ast.Call(func=ast.Name(id="type"), args=[_]):
                return True
            case ast.Attribute(attr="__class__"):
                return True
        return False

    def is_made(self, owner: ast.expr) -> bool:
        """Whether it is an object that nobody else has yet."""
        return self.made != "" and isinstance(owner, ast.Name) and owner.id == self.made and owner.lineno <= self.until


def _stores(node: ast.AST, scope: _Scope) -> Iterator[str | _EarlyStore | ClassStore]:
    """The stores in some code: a name alone is an attribute of an object."""
    for child in ast.iter_child_nodes(node):
        inner = scope
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inner = scope.inside(child, is_method=isinstance(node, ast.ClassDef))
            case ast.ClassDef():
                inner = _Scope(scope.classes, child.name)
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                yield from _store_of_object(owner, name, scope)
                yield from _store_of_class(owner, name, scope)
            case ast.Call(func=function, args=arguments) if _called(function) in _BY_NAME:
                yield from _texts(arguments)
                match arguments:
                    case [owner, ast.Constant(value=str(name)), *_] if isinstance(function, ast.Name):
                        yield from _store_of_class(owner, name, scope)
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Store() | ast.Del()):
                if _is_dictionary(owner):
                    yield name
            case ast.Call(func=ast.Attribute(value=owner), args=arguments) if _is_dictionary(owner):
                yield from _texts(arguments)  # of `setdefault`, or `pop`
        yield from _stores(child, inner)


def _texts(arguments: Iterable[ast.expr]) -> Iterator[str]:
    values = (each.value for each in arguments if isinstance(each, ast.Constant))
    return (value for value in values if isinstance(value, str))


def _is_dictionary(value: ast.expr) -> bool:
    """Whether it is that of the attributes of some object."""
    match value:
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[_]):
            return True
    return False


def _store_of_object(owner: ast.expr, name: str, scope: _Scope) -> Iterator[str | _EarlyStore]:
    if not scope.is_class(owner) and not (isinstance(owner, ast.Name) and owner.id in scope.classes):
        yield _EarlyStore(scope.own(name)) if scope.is_made(owner) else scope.own(name)


def _store_of_class(owner: ast.expr, name: str, scope: _Scope) -> Iterator[ClassStore]:
    if scope.is_class(owner):
        yield ClassStore(scope.own(name), scope.kind)
        return
    parts = ast.unparse(owner).split(".") if isinstance(owner, ast.Attribute | ast.Name) else []
    if parts and parts[0].isidentifier() and parts[0] not in scope.local:
        yield ClassStore(scope.own(name), parts[-1])


def _made_by(function: ast.AST) -> str:
    if isinstance(function, ast.FunctionDef) and function.name in _CONSTRUCTORS and function.args.args:
        return function.args.args[0].arg
    return ""


def _private_until(function: ast.AST, made: str) -> float:
    """The line in which a constructor first does something else with its object than to use its attributes."""
    if not made:
        return float("inf")
    nodes = list(ast.walk(function))
    used = {id(each.value) for each in nodes if isinstance(each, ast.Attribute)}
    calls = (each for each in nodes if isinstance(each, ast.Call) and _called(each.func) in _CONSTRUCTORS)
    used.update(id(argument) for each in calls for argument in each.args)
    others = (each.lineno for each in nodes if isinstance(each, ast.Name) and each.id == made and id(each) not in used)
    return min(others, default=float("inf"))


def _given_class(function: ast.AST) -> str:
    """What a class method, or `__new__`, calls the class that it is given; "" for other functions."""
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return ""
    marks = [getattr(each, "id", "") for each in function.decorator_list]
    is_given = "classmethod" in marks or function.name in ("__new__", "__init_subclass__")
    return function.args.args[0].arg if is_given else ""


def _locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    nodes = list(ast.walk(function))
    given = {each.arg for each in ast.iter_child_nodes(function.args) if isinstance(each, ast.arg)}
    declared = {name for each in nodes if isinstance(each, ast.Global) for name in each.names}
    assigned = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return frozenset(given | assigned) - declared


def _called(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))


def _changed(tree: ast.AST) -> Iterator[str]:
    """The attributes of which more is done than to look at what a container holds."""
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load) and _may_change(parent, child):
                yield child.attr


@functools.cache
def changed_names(module: ModuleType) -> frozenset[str]:
    """The variables of a module of which its functions do more than to look at what a container holds."""
    try:
        tree = parsed(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return frozenset(vars(module))
    found = ((parent, child) for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent))
    return frozenset(
        child.id
        for parent, child in found
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and _may_change(parent, child)
    )


def _may_change(parent: ast.AST, used: ast.expr) -> bool:
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
