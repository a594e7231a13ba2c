"""Two tables that packages fill without loading anything: functions that draw for notebooks, readers of file formats.

This file imports nothing, so that filling them costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers believe otherwise, and nothing is imported for them
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

DISPLAYS: dict[str, Callable[[Any], str]] = {}
"""By the name of a class: HTML that shows one of its objects."""


class Displayed:
    """The base of results that a notebook shows as HTML, if a function for that was announced."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        draw = DISPLAYS.get(type(self).__name__)
        return None if draw is None else draw(self)


LOADERS: dict[str, Callable[[Path], list[Any]]] = {}
"""By suffix, with its dot: reads a file and returns its programs (`Program`), or raises ModelError."""
