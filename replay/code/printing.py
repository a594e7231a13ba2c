"""What user code prints and logs: nothing while runs are explored, and once for the run that is shown.

Code of threads runs again and again, in an order that means nothing. So what it writes to the standard streams, or
logs, is dropped, but in a `shown_run`: there it appears as it would in Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greenlet import getcurrent

from replay.interpreter.execution import running_execution

_OUTSIDE = object()
_shown: list[bool] = []
"""One entry for each `shown_run` that is entered."""


@contextmanager
def shown_run(*, appears: bool = True) -> Iterator[None]:
    """In the block, runs of user code are for people: what they print appears, unless a block around says no."""
    _shown.append(appears)
    try:
        yield
    finally:
        _shown.pop()


def _is_quiet() -> bool:
    """Whether code of the user is running that nobody is to hear."""
    heard = bool(_shown) and all(_shown)
    execution = running_execution()
    running: Any = getcurrent()
    thread: Any = getattr(running, "thread", _OUTSIDE) if execution is None else execution.owner
    if thread is _OUTSIDE:
        return False
    if thread is None:  # a program that declares, or a file that is imported, which is heard
        return running.declares is not None and not (running.declares and heard)
    return not heard or bool(thread.known)


class _Stream:
    """A standard stream that drops what is not to be heard."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if _is_quiet() else self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def heard_once() -> Iterator[None]:
    """Around explorations: the standard streams, `breakpoint()`, and logging if anybody has imported it, obey."""
    before = sys.stdout, sys.stderr
    ours: tuple[Any, Any] = (_Stream(sys.stdout), _Stream(sys.stderr))
    sys.stdout, sys.stderr = ours
    stop = sys.breakpointhook
    sys.breakpointhook = lambda *given, **more: None if hasattr(getcurrent(), "thread") else stop(*given, **more)
    logging: Any = sys.modules.get("logging")
    log = None if logging is None else logging.Logger.callHandlers
    if log is not None:
        logging.Logger.callHandlers = lambda logger, record: None if _is_quiet() else log(logger, record)
    try:
        yield
    finally:
        sys.breakpointhook = stop
        if log is not None:
            logging.Logger.callHandlers = log
        sys.stdout = before[0] if sys.stdout is ours[0] else sys.stdout
        sys.stderr = before[1] if sys.stderr is ours[1] else sys.stderr
