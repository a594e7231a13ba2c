"""Locks, queues and the like that a program function makes and does not share: threads share them all the same."""

from __future__ import annotations

from typing import Any

from replay.code.reachable import reachable
from replay.frontend.declarations import Declarations
from replay.frontend.ordinary.heap import Heap
from replay.frontend.ordinary.kinds import is_shared
from replay.frontend.ordinary.own import Own

_HOMES = ("threading", "queue", "concurrent")


def share_what_was_made(heap: Heap, p: Declarations) -> None:
    """Share what Python has for threads, if threads can reach it, by the names under which they do."""
    if all(lock.identity is not None for lock in heap.made):
        return
    for name, thing in list(reachable(("", code) for code in p.all_code).values()):
        if _is_for_threads(thing) and not is_shared(thing):
            heap.share(thing, p.own_name(name or type(thing).__name__))


def _is_for_threads(thing: Any) -> bool:
    kind = type(thing)
    return isinstance(thing, Own) or (
        kind.__module__.partition(".")[0] in _HOMES and not isinstance(thing, type) and hasattr(thing, "__dict__")
    )
