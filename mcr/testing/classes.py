"""Classes in tests: what has to be linearizable is asked for in one line, and what is not shows its history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mcr.linearizability.observers import LINEARIZABLE
from mcr.linearizability.search import linearizable
from mcr.report.layout import Style
from mcr.report.linearizability import render_linearizability


def assert_linearizable(
    make: Callable[..., Any],
    operations: Iterable[str | Sequence[object]] | None = None,
    *,
    level: str = LINEARIZABLE,
    **how: Any,
) -> None:
    """Raise AssertionError, with the history of a smallest client, if a class does not have this level.

    All parameters are those of `linearizable`. It also raises AssertionError if a limit keeps the level from being
    decided, and what `linearizable` raises.
    """
    found = linearizable(make, operations, level=level, **how)
    if level not in found.levels:
        raise AssertionError("\n".join(render_linearizability(found, 120, Style())))
