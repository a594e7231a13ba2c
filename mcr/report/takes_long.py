"""An early word on an exploration that takes long: how large it is, and what makes it smaller."""

from __future__ import annotations

from collections.abc import Sequence

from mcr.exploration.size import Size, ThreadSize
from mcr.report.figures import figures
from replay.sentences import counted

_NAMED = 3
"""How many threads are named: those that do most."""


def takes_long(title: str, size: Size, ends_it: str) -> str:
    """Sentences for who waits; `ends_it` is an option that limits the time."""
    seconds = size.statistics.seconds
    return (
        f"{title} has taken {seconds:.0f} s so far ({figures(size.statistics)}) and may take minutes. "
        f"What there is to explore grows with each thread and each operation: {_threads(size.threads)}. "
        f"Fewer threads, or fewer calls in each, make it quicker; {ends_it} ends it."
    )


def _threads(threads: Sequence[ThreadSize]) -> str:
    most = sorted(threads, key=lambda thread: -thread.operations)[:_NAMED]
    more = len(threads) - len(most)
    return "; ".join([*map(_does, most), *([f"{more} more"] if more else [])])


def _does(thread: ThreadSize) -> str:
    busy = f", {thread.there} of them on {thread.location}" if 1 < thread.there < thread.operations else ""
    return f"{thread.name} does up to {counted(thread.operations, 'operation')}{busy}"
