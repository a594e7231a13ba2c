"""The source that a program of ordinary classes is made of: what its code may do to attributes is read off there."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from types import FunctionType, ModuleType
from typing import Any

from replay.code.source import parsed

Source = ModuleType | FunctionType
"""A module, or a function that is in no file."""


def sources_of(kind: Any, function: Any) -> list[Source]:
    """The file of a program's function, or that function; and the modules of a class and its bases."""
    home = sys.modules.get(function.__module__)
    in_file = isinstance(home, ModuleType) and getattr(home, "__file__", None)
    found: list[Any] = [home if in_file else function]
    found += [sys.modules.get(each.__module__) for each in kind.__mro__ if each is not object]
    return [source for source in dict.fromkeys(found) if source is not None]


@functools.cache
def tree_of(source: Source) -> ast.Module | None:
    """The tree of its text; None if nobody has that."""
    try:
        text = inspect.getsource(source)
        return parsed(inspect.cleandoc("\n" + text) if isinstance(source, FunctionType) else text)
    except (OSError, TypeError, SyntaxError):
        return None
