"""How much a test looks at: enough for every change, or with MCR_SLOW=1 as much as half an hour allows."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import TypeVar

SLOW = bool(os.environ.get("MCR_SLOW"))

T = TypeVar("T")


def amount(usual: T, slow: T) -> T:
    """One of the two."""
    return slow if SLOW else usual


def one_of(ways: Sequence[T], case: str) -> Sequence[T]:
    """One of several ways to look at a case, others for other cases; all of them if there is time."""
    return ways if SLOW else [ways[zlib.crc32(case.encode()) % len(ways)]]
