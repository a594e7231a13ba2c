"""Functions, partials, exceptions and variables of closures as shared objects: what they are made of, and the way back.

Each is itself and no other one, however equal they look. What a function is made of never changes but for the variables
that it closes over, and its attributes: these are memory.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CellType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from replay.frontend.ordinary.named_tuples import is_constructor, names_of
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ordinary.values import UNSET
from replay.frontend.ownership.classes import METACLASSES, class_again, is_made_class, parts_of_class
from replay.interpreter.frame import MISSING, NULL, held_in
from replay.interpreter.origins import note_made
from replay.interpreter.versions import ANNOTATIONS_ARE_KEPT
from replay.world.anatomy import HEAP_TYPE

MADE_OF = "\0"
"""Begins the names of parts that are no attributes."""

ANNOTATIONS = f"{MADE_OF}annotations"


def is_made(value: Any) -> bool:
    """Returns whether a value is such an object; functions and classes of modules are not."""
    kind = type(value)
    if kind in METACLASSES:
        return is_made_class(value)
    if kind is CellType or kind is functools.partial:
        return True
    return (kind is FunctionType or issubclass(kind, BaseException)) and not is_plain(value)


def parts_of(value: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Returns its parts without attributes; `frozen` makes of a part and its name what memory holds."""
    if type(value) is CellType:
        held = held_in(value)
        return {"": UNSET if held is NULL else frozen(held, f".{type(held).__name__}")}
    if type(value) in METACLASSES:
        return parts_of_class(value, frozen)
    if type(value) is FunctionType:
        names = value.__code__.co_freevars
        cells = [*zip(names, map(_own, names, value.__closure__ or ()), strict=True)]
        held = {
            "code": value.__code__,
            "module": value.__module__,
            "is of tuples": is_constructor(value),
            "names": (value.__name__, value.__qualname__),
            "doc": value.__doc__ if type(value.__doc__) is str else None,
            "cells": tuple(frozen(cell, f".{name}") for name, cell in cells),
            "defaults": frozen(value.__defaults__, ".defaults"),
            "keywords": tuple((name, frozen(each, f".{name}")) for name, each in (value.__kwdefaults__ or {}).items()),
        }
        if ANNOTATIONS_ARE_KEPT and value.__annotations__:
            held["annotations"] = frozen(value.__annotations__, ".__annotations__")
    elif type(value) is functools.partial:
        keywords = tuple((name, frozen(each, f".{name}")) for name, each in value.keywords.items())
        held = {"function": frozen(value.func, ".func"), "args": frozen(value.args, ".args"), "keywords": keywords}
    else:
        given = (value.message, value.exceptions) if isinstance(value, BaseExceptionGroup) else ()
        fields = tuple(
            (name, frozen(each, f".{name}")) for name, each in _fields(value) if not (given and name in _OF_GROUPS)
        )
        held = {"args": frozen(value.args, ".args"), "fields": fields, "given": frozen(given, ".exceptions")}
    return {f"{MADE_OF}{name}": each for name, each in held.items()}


def _own(name: str, cell: CellType) -> Any:
    """Returns what a function closes over: the class that has it itself, as `super()` finds it, and no variable."""
    return held if name == "__class__" and is_made_class(held := held_in(cell)) else cell


def made_again(kind: Any, content: dict[str, Any], thaw: Callable[[Any], Any], enter: Callable[[Any], None]) -> Any:
    """An object that stands for one with these parts; `enter` notes it, before what it leads to is made."""
    if kind is CellType:
        cell = CellType(MISSING)
        enter(cell)
        return cell

    if kind in METACLASSES:
        return class_again(kind, content, thaw, enter)

    def part(name: str) -> Any:
        return thaw(content[f"{MADE_OF}{name}"])

    if kind is FunctionType:
        code = content[f"{MADE_OF}code"]
        closed = map(thaw, content[f"{MADE_OF}cells"])
        cells = tuple(each if type(each) is CellType else CellType(each) for each in closed)
        module = content[f"{MADE_OF}module"]
        names = names_of(module) if content[f"{MADE_OF}is of tuples"] else vars(sys.modules[module])
        function = FunctionType(code, names, code.co_name, None, cells)
        function.__name__, function.__qualname__ = content[f"{MADE_OF}names"]
        function.__module__, function.__doc__ = module, content[f"{MADE_OF}doc"]
        note_made(function)
        enter(function)
        function.__defaults__ = part("defaults")
        function.__kwdefaults__ = {name: thaw(each) for name, each in content[f"{MADE_OF}keywords"]} or None
        if ANNOTATIONS in content:
            function.__annotations__ = part("annotations")
        return function
    if kind is functools.partial:
        keywords = {name: thaw(each) for name, each in content[f"{MADE_OF}keywords"]}
        made: Any = functools.partial(part("function"), *part("args"), **keywords)
        enter(made)
        return made
    arguments = part("args")
    given = part("given") or arguments
    base = next(each for each in kind.__mro__ if not each.__flags__ & HEAP_TYPE)
    error: Any = base.__new__(kind, *given)
    error.args = arguments
    enter(error)
    for name, each in content[f"{MADE_OF}fields"]:
        setattr(error, name, thaw(each))
    return error


_OF_GROUPS = ("message", "exceptions")
_NOT_KEPT = frozenset({"args", "__traceback__", "__dict__", "characters_written"})


def _fields(error: BaseException) -> list[tuple[str, Any]]:
    """Returns what classes of C keep in an exception beside its arguments, in an order in which it can be set."""
    found: dict[str, Any] = {}
    for base in type(error).__mro__[:-1]:
        for name, held in vars(base).items():
            if type(held) in (GetSetDescriptorType, MemberDescriptorType) and not base.__flags__ & HEAP_TYPE:
                value = None if name in _NOT_KEPT else held.__get__(error)
                if value is not None:
                    found.setdefault(name, value)
    return sorted(found.items(), key=lambda each: each[0] == "__suppress_context__")  # others set it as well
