"""Imports modules of a package without its `__init__`, which needs what is not installed, or an older Python."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType


def bare(package: str) -> None:
    """Makes a package that is empty but for its modules."""
    made = sys.modules[package] = ModuleType(package)
    made.__path__ = [str(Path(folder, *package.split("."))) for folder in sys.path]
