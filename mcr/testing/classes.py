"""Classes in tests: what has to be linearizable is asked for in one line, and what is not shows its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcr.linearizability.search import linearizable
from mcr.report.layout import Style
from mcr.report.linearizability import render_linearizability


def assert_linearizable(make: Callable[..., Any], *operations: Any, level: str = "linearizable", **how: Any) -> None:
    """Raise AssertionError, with the history of a smallest client, if a class has not this level.

    operations  "method", or ("method", argument, ...); none for the public methods
    level       "linearizable", "sequentially consistent" or "quiescently consistent"
    how         as for `linearizable`

    It also raises AssertionError if a limit keeps that from being known, and what `linearizable` raises.
    """
    found = linearizable(make, operations or None, level=level, **how)
    if level not in found.levels:
        raise AssertionError("\n".join(render_linearizability(found, 120, Style())))
