"""Files that hold programs and are no Python: who reads them, by suffix.

A file of its own, free of imports, so that a package can announce a format
without loading anything that reads it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers believe otherwise, and nothing is imported for them
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replay.frontend.program import Program

LOADERS: dict[str, Callable[[Path], list[Program]]] = {}
"""By suffix, with its dot: reads a file and returns its programs, or raises ModelError."""
