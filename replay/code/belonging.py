"""Owners of classes and modules: the user, Python or the checker."""

from __future__ import annotations

import sys
import types
from typing import Any

_OURS = ("replay.", "mcr.")
"""Packages whose code is the checker's own."""


def is_user_class(kind: type) -> bool:
    """Returns whether a class belongs to the model or to a package that it uses, not to Python or the checker."""
    home = str(kind.__module__)
    return home.partition(".")[0] not in sys.stdlib_module_names and not home.startswith(_OURS)


def is_of_checker(thing: Any) -> bool:
    """Returns whether a class or a function is one of the checker's own."""
    return str(getattr(thing, "__module__", "")).startswith(_OURS)


def is_of_python(module: types.ModuleType) -> bool:
    """Returns whether a module belongs to Python, or to us."""
    home = module.__name__
    return home.partition(".")[0] in sys.stdlib_module_names or f"{home}.".startswith(_OURS)
