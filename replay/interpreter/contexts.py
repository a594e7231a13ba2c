"""Contexts of `decimal`, which each thread has for itself: the module is imported by programs that use it."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any


def is_decimal_context(kind: type) -> bool:
    """Returns True for the class of these contexts."""
    module: Any = sys.modules.get("decimal")
    return module is not None and kind is module.Context


def told_of(context: Any) -> tuple[Hashable, ...]:
    """All that tells a context from others."""
    settings = context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp
    return (*settings, *context.flags.values(), *context.traps.values())
