"""Refusing a model because of what its thread code does.

An exception would not do: thread code may catch it, and go on as if nothing
had been wrong. So the thread is given up where it stands, and the error rises
in whoever drives it.
"""

from __future__ import annotations

from typing import NoReturn

from greenlet import GreenletExit, greenlet

from replay.code.thread_run import caller, inside_run
from replay.errors import ModelError


def refuse(message: str) -> NoReturn:
    """End the run of the thread that calls this, or the declaration of its program, with ModelError at their line."""
    thread = greenlet.getcurrent()
    if getattr(thread, "abandoned", False):
        raise GreenletExit
    error = ModelError(message, str(caller() or ""))
    if not inside_run() or thread.parent is None:
        raise error
    try:
        thread.parent.throw(error)
    except GreenletExit:
        thread.abandoned = True  # type: ignore[attr-defined]
        raise
    raise AssertionError("a thread that was given up went on")
