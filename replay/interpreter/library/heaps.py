"""`heapq`: the Python versions that CPython ships."""

from __future__ import annotations

from typing import Any

from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.library.shipped import stand_for_all
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively


def _of_heap(version: Any, native: Any) -> Any:
    """C refuses what is no list, and says something else of an empty one."""

    @natively
    def refuse(*arguments: Any) -> Any:
        return native(*arguments)

    needs_items = "push" not in native.__name__ and "heapify" not in native.__name__

    def call(heap: Any, /, *arguments: Any) -> Any:
        if not is_a(heap, list) or (needs_items and not heap):
            return refuse(heap, *arguments)
        return version(heap, *arguments)

    return call


stand_for_all("heapq", "_heapq", plain_arguments, _of_heap)
