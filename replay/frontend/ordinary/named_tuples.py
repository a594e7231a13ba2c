"""Classes of named tuples: what `collections.namedtuple` makes that is in no other class."""

from __future__ import annotations

import collections
from types import FunctionType
from typing import Any

from replay.interpreter.calls import intrinsic_of_objects
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import namespace_of
from replay.interpreter.origins import note_made

_named_tuple: Any = collections.namedtuple

FIELD: Any = type(_named_tuple("_", "field").field)
"""The class of what a class of named tuples has for each field."""


@intrinsic_of_objects(_named_tuple)
def _make(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """The class is of the module whose code asks for it."""
    if keywords.get("module") is None:
        keywords = {**keywords, "module": frame.execution.outside().globals.get("__name__", "__main__")}
    made = _named_tuple(*arguments, **keywords)
    note_made(made)
    for held in namespace_of(made).values():
        if type(function := getattr(held, "__func__", held)) is FunctionType:
            note_made(function)
    frame.stack.append(made)


def is_constructor(function: FunctionType) -> bool:
    """Returns whether a function is the `__new__` of a class of named tuples: its global variables are its own."""
    return function.__globals__.keys() == _NAMES


def names_of(module: str) -> dict[str, Any]:
    """Returns the global variables of such a function."""
    return {"_tuple_new": tuple.__new__, "__builtins__": {}, "__name__": module}


_NAMES = frozenset(names_of(""))
