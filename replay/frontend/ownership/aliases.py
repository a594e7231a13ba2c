"""Aliases of `typing` with their parameters, as `Iterable[int]`: its own cache has them, and there is one for all runs.

The cache is no memory: an alias is a value, and the same whether it is found there or made.
"""

from __future__ import annotations

import typing
from types import FunctionType, GenericAlias, UnionType
from typing import Any

from replay.frontend.ownership.host import call_as_it_is
from replay.interpreter.calls import intrinsic_of_objects
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import ATOMS, python_method


def install() -> None:
    """Let what asks the cache be called natively, where no code of users decides whether two parameters are equal."""
    for space in (vars(typing), *(vars(each) for each in vars(typing).values() if isinstance(each, type))):
        for held in space.values():
            each = held.__func__ if type(held) is classmethod else held
            if type(each) is FunctionType and each.__code__.co_qualname == _CACHED:
                _asks_the_cache(each)


_CACHED = "_tp_cache.<locals>.decorator.<locals>.inner"


def _asks_the_cache(function: Any) -> None:
    @intrinsic_of_objects(function)
    def ask(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if keywords or not all(map(_is_known, arguments)):
            return call_as_it_is(frame, function, arguments, keywords)
        frame.stack.append(function(*arguments))
        return None


def _is_known(value: Any) -> bool:
    """Returns whether it is a class, an alias or the like, or several of these, and compares as Python does."""
    kind = type(value)
    if isinstance(value, type):
        return python_method(kind, "__hash__") is None and python_method(kind, "__eq__") is None
    if kind in (tuple, list):
        return all(map(_is_known, value))
    return kind in ATOMS or kind in (GenericAlias, UnionType) or kind.__module__ == "typing"
