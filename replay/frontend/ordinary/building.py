"""Values that memory holds in parts, built again for the thread that reads them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CellType, FunctionType, MethodType
from typing import Any

from replay.frontend.ordinary.values import Built
from replay.frontend.ordinary.weak import WeakReference


def build(frozen: Built, thaw: Callable[[Any], Any]) -> Any:
    """A value that is made of these parts."""
    parts = [thaw(part) for part in frozen.parts]
    return _BUILDERS[frozen.how](*parts)


def _method(function: Any, owner: Any) -> Any:
    return MethodType(function, owner)


def _function(code: Any, module: str, cells: Any, defaults: Any, keywords: Any) -> Any:
    closure = tuple(CellType(each) for each in cells)
    made = FunctionType(code, vars(sys.modules[module]), code.co_name, defaults, closure)
    made.__kwdefaults__ = dict(keywords) or None
    made.__module__ = module
    return made


def _exception(kind: Any, arguments: Any, attributes: Any) -> Any:
    made = kind.__new__(kind, *arguments)
    made.args = arguments
    vars(made).update(attributes)
    return made


_BUILDERS: dict[str, Callable[..., Any]] = {
    "method": _method,
    "built-in method": lambda name, owner: getattr(owner, name),
    "function": _function,
    "partial": lambda function, arguments, keywords: functools.partial(function, *arguments, **dict(keywords)),
    "exception": _exception,
    "weak reference": WeakReference,
}
