"""How things show themselves in a notebook: who can draw them, by the names of their classes.

A file of its own, free of imports, so that what is shown needs to know nothing of who draws it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers believe otherwise, and nothing is imported for them
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DISPLAYS: dict[str, Callable[[Any], str]] = {}
"""By the name of a class: HTML that shows one of its objects."""


class Displayed:
    """Shows itself in a notebook, if there is somebody who can draw it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        draw = DISPLAYS.get(type(self).__name__)
        return None if draw is None else draw(self)
