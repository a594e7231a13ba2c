"""What is announced by name before anybody loads it: who draws things in a notebook, and who reads files of a suffix.

Free of imports, so that a package can announce it without loading anything.
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
    """Shows itself in a notebook, if there is somebody who can draw it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        draw = DISPLAYS.get(type(self).__name__)
        return None if draw is None else draw(self)


LOADERS: dict[str, Callable[[Path], list[Any]]] = {}
"""By suffix, with its dot: reads a file and returns its programs (`Program`), or raises ModelError."""
