"""All threads of a function that starts them: `threading.enumerate`, `active_count`, `main_thread`, `_thread._count`.

To keep them costs operations where threads start and end. So an exploration begins without, and anew with them once
code has asked (`Program.changing`).
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Any

from replay.code.running_thread import heap_here, perform, refuse
from replay.code.user_code import stop_here
from replay.errors import TakenForConstant
from replay.frontend.shared import cell
from replay.world.operation import Kind

MAIN = "the main thread"
RUNNING = "the threads that run"
"""Names in `Program.changing`; the second one is also the cell that holds these threads, oldest first."""

_CELL = cell(RUNNING, ())


def note_start(thread: object) -> None:
    """A thread is about to start; given are what memory holds for its object, or the number of one without."""
    if RUNNING in heap_here().changing:
        perform(Kind.UPDATE, _CELL.location, update=lambda held: (*held, thread), label=f"{thread} starts")


def note_end(thread: Any, number: int) -> None:
    """A thread has done its work; given are its object, None if it has none, and its number."""
    heap = heap_here()
    if RUNNING in heap.changing:
        ended = number if thread is None else heap.freeze(thread)
        perform(Kind.UPDATE, _CELL.location, update=lambda held: _without(held, ended), label=f"{ended} ends")


def _without(held: tuple[Any, ...], thread: object) -> tuple[Any, ...]:
    return tuple(each for each in held if each != thread)


def main_thread() -> Any:
    """`threading.main_thread`."""
    _check_kept(threading.main_thread, MAIN)
    return heap_here().main


def enumerate_threads() -> list[Any]:
    """`threading.enumerate`."""
    _check_kept(threading.enumerate, MAIN)
    heap = heap_here()
    return [heap.main, *(heap.thaw(each) for each in _running(threading.enumerate) if type(each) is not int)]


def active_count() -> int:
    """`threading.active_count`."""
    return 1 + len([each for each in _running(threading.active_count) if type(each) is not int])


def count() -> int:
    """`_thread._count`: how many threads run that were started."""
    return len(_running(threading.active_count))


def _running(asks: Callable[..., Any]) -> tuple[Any, ...]:
    _check_kept(asks, RUNNING)
    found: tuple[Any, ...] = perform(Kind.LOAD, _CELL.location)
    return found


def _check_kept(asks: Any, name: str) -> None:
    """End the exploration if these threads are not kept; refuse to tell them where `p` declares threads."""
    heap = heap_here()
    if not heap.has_main:
        refuse(
            f"thread code uses threading.{asks.__name__}, which a model cannot have: pass in what it is to say, as "
            "a model has its own threads, and the process has others"
        )
    if name not in heap.changing:
        stop_here(TakenForConstant(name))


INSTEAD: dict[Any, Callable[..., Any]] = {
    threading.main_thread: main_thread,
    threading.enumerate: enumerate_threads,
    threading.active_count: active_count,
    _thread._count: count,
}
"""Functions of Python, and what is interpreted in their place."""
