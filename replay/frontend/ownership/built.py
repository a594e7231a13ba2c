"""Values that are built again where they are read: bound methods, weak references, and those of `ordinary.wholes`.

Memory holds how they are built, and of what.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from replay.frontend.ordinary.values import Built
from replay.frontend.ordinary.wholes import BUILDERS


class _Gone:
    """An object that a weak reference has lost."""


_KEYED: Any = weakref.KeyedRef
_BUILDERS: dict[str, Callable[..., Any]] = {
    "method": MethodType,
    "built-in method": lambda name, owner: getattr(owner, name),
    "parameters": vars(dataclasses)["_DataclassParams"],
    "property": property,
    "classmethod": classmethod,
    "staticmethod": staticmethod,
    "weak reference": lambda thing: weakref.ref(_Gone() if thing is None else thing),
    "weak reference with a key": lambda thing, key: _KEYED(_Gone() if thing is None else thing, None, key),
    **BUILDERS,
}


def build(frozen: Built, thaw: Callable[[Any], Any]) -> Any:
    """Returns a value that is made of these parts."""
    return _BUILDERS[frozen.how](*map(thaw, frozen.parts))
