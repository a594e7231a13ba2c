"""Functions of native code, or code that need not be interpreted, for which a user vouches."""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar

from replay.errors import CheckerError
from replay.interpreter.exceptions import name_of
from replay.interpreter.natives import vouch

F = TypeVar("F")

PROMISE = "computes its result from its arguments alone, and changes nothing but them"
"""What is said of a function with `pure`."""


def pure(function: F) -> F:
    """Declares that a function computes its result from its arguments alone, and changes nothing but them.

    Thread code may call it then, though it is native code that mcr does not know; Python code runs natively, in one
    step, and must not use shared state. Every verdict of a program that called it lists it among its assumptions.
    Returns the function, so that it serves as a decorator. Raises TypeError for what cannot be called.
    """
    if not callable(function):
        raise TypeError(f"mcr.pure takes a function, not {function!r}")
    known: Any = function  # one of a model is known by its name alone: the module's is made up
    vouch(function, known.__qualname__ if type(known) is FunctionType else name_of(function))
    return function


def pure_by_name(name: str) -> None:
    """Vouches for what a dotted name stands for, as `numpy.linalg.norm`. Raises CheckerError if there is no such."""
    module, *rest = _imported(name)
    found: Any = sys.modules[module]
    for each in rest:
        found = getattr(found, each, None)
    if not rest or not callable(found):
        raise CheckerError(f"{name!r} is no function that can be imported; write it as in 'numpy.linalg.norm'")
    vouch(found, name)


def _imported(name: str) -> list[str]:
    """The longest module that a dotted name begins with, imported, and the names behind it."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            import_module(".".join(parts[:count]))
        except ImportError:
            continue
        return [".".join(parts[:count]), *parts[count:]]
    raise CheckerError(f"{name!r}: no module of that name can be imported")
