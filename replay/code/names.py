"""Objects that names in code stand for, as far as that is known before it runs."""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib.util
import sys
import types
from collections.abc import Mapping
from typing import Any

from replay.code.belonging import is_user_class
from replay.code.facts import Use
from replay.interpreter.attributes import maker_of_attributes


def first_of(use: Use, namespace: dict[str, Any], closure: Mapping[str, object]) -> object:
    """Returns what the first of some names stands for, `UNKNOWN` if that is not known before code runs."""
    first = use.names[0]
    match use.root:
        case "import":
            return imported(first, str(namespace.get("__package__") or ""))
        case "global":
            return namespace.get(first, vars(builtins).get(first, UNKNOWN))
        case _:
            return closure.get(first, UNKNOWN)


@functools.cache
def _loaded(name: str) -> None:
    """Load a module that code of the user imports when it runs: what it holds is then known before that."""
    with contextlib.suppress(Exception):
        importlib.import_module(name)


def imported(name: str, package: str) -> object:
    """The module that code imports by a name, which begins with dots if it is of the package of the code."""
    try:
        absolute = importlib.util.resolve_name(name, package)
    except ImportError:
        return UNKNOWN
    if absolute not in sys.modules:
        _loaded(absolute)
    return sys.modules.get(absolute, UNKNOWN)


def cell_contents(cell: types.CellType) -> tuple[object, ...]:
    """Returns what a closure's variable holds; nothing if nothing was assigned yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def closure_of(function: types.FunctionType) -> dict[str, object]:
    """The variables that a function closes over and that hold something, with what they hold."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: value for name, cell in cells for value in cell_contents(cell)}


UNKNOWN = object()
"""What names stand for that are bound only while code runs."""


def stands_for(use: Use, function: types.FunctionType, *, into_classes: bool = False) -> object:
    """Returns what names stand for in a function, as far as modules and classes of Python go; `into_classes`, of
    users too.

    `UNKNOWN` if that is not known before the function runs.
    """
    rest = use.names[1:]
    thing: Any = first_of(use, function.__globals__, closure_of(function))
    for name in rest:
        is_opaque = isinstance(thing, type) and is_user_class(thing) and not into_classes
        if is_opaque or not isinstance(thing, types.ModuleType | type):
            break
        if isinstance(thing, types.ModuleType) and maker_of_attributes(thing) is not None:
            thing = vars(thing).get(name, UNKNOWN)  # to make it is code of users
        else:
            thing = getattr(thing, name, UNKNOWN)
    return thing
