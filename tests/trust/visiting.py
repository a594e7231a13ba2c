"""All execution graphs of a program, by one process, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import ExecutionGraph


def graphs(trust: Trust) -> Iterator[ExecutionGraph]:
    """Every full graph, once; it belongs to the caller."""
    waiting: list[ExecutionGraph | Fork] = [trust.first()]
    while waiting:
        full = trust.advance(waiting.pop())
        waiting += trust.aside
        trust.aside.clear()
        if full is not None:
            yield full
