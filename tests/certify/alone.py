"""Threads explored alone, by a name of their own, as `auto` takes them for some certificates only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from mcr.explorers.closed.explorer import Closed
from mcr.explorers.registry import ALGORITHMS


@contextmanager
def threads_alone() -> Iterator[None]:
    """In the block, the algorithm `cover` is the one that explores threads alone."""
    cover = ALGORITHMS["cover"]
    ALGORITHMS["cover"] = replace(cover, make=lambda context, _: Closed(context))
    try:
        yield
    finally:
        ALGORITHMS["cover"] = cover
