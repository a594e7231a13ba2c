"""`bisect`: the Python versions that CPython ships."""

from __future__ import annotations

from typing import Any

from replay.interpreter.library.iterators import is_sequence
from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.library.shipped import stand_for_all


def _natively(arguments: Any, keywords: Any) -> bool:
    """Returns True if all is plain, or C refuses what is to be searched."""
    return plain_arguments(arguments, keywords) or (bool(arguments) and not is_sequence(arguments[0]))


stand_for_all("bisect", "_bisect", _natively)
