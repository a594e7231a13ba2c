"""Output and logs of user code: dropped while runs are explored, and shown once for the run that is shown.

Code of threads runs again and again, in an order that means nothing. So what it writes to the standard streams, or
logs, is dropped, but in a `shown_run`: there it appears as it would in Python.
"""

from __future__ import annotations

import sys
from _thread import RLock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedWriter, TextIOWrapper
from typing import Any, NoReturn

from replay.code.lines import line_outside_library
from replay.code.watchdog import own_watch
from replay.errors import ModelError
from replay.interpreter.calls import intrinsic, refuse_native
from replay.interpreter.execution import running_owner
from replay.interpreter.frame import Frame
from replay.interpreter.natives import natively

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
    """Returns whether code of the user is running whose output is dropped."""
    heard = bool(_shown) and all(_shown)
    thread = running_owner()
    if thread is not None:
        return not heard or bool(thread.known)
    code = own_watch().code
    declares = None if code is None else code.declares  # of a program that declares, and no file that is imported
    return declares is not None and not (declares and heard)


class Stream:
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


@intrinsic(TextIOWrapper.write, TextIOWrapper.flush)
def _write(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Interpreted code writes to the streams that Python began with, and to no files."""
    stream, *rest = arguments
    if stream is not sys.__stdout__ and stream is not sys.__stderr__:
        refuse_native(frame, TextIOWrapper.write)
    frame.stack.append((TextIOWrapper.write if rest else TextIOWrapper.flush)(*arguments, **keywords))


def _log_quietly(logging: Any, logger: Any, record: Any, stop: Callable[[ModelError], NoReturn]) -> None:
    """Call the handlers of a logger but those that only write; `stop` at one whose lock is none of the model."""
    for handler in _handlers(logging, logger):
        if record.levelno < handler.level or only_writes(handler):
            continue
        if running_owner() is not None and type(handler.lock) is RLock:
            sentence = (
                f"the logger {logger.name!r} calls a {type(handler).__name__}, whose lock the model does not know: "
                "take the handler away where the model is made, or call what it does"
            )
            stop(ModelError(sentence, str(line_outside_library() or "")))
        handler.handle(record)


def _handlers(logging: Any, logger: Any) -> list[Any]:
    """The handlers that a logger calls, those of its parents among them."""
    found: list[Any] = []
    while logger is not None:
        found += logger.handlers
        logger = logger.parent if logger.propagate else None
    return found or [logging.lastResort] * (logging.lastResort is not None)


def only_writes(handler: Any) -> bool:
    """Returns True for a handler of loggers, Python's or pytest's, that is known to write what no thread can read."""
    logging: Any = sys.modules.get("logging")
    kind = type(handler)
    if logging is None or not issubclass(kind, logging.Handler):
        return False
    held = vars(handler)
    formatter = held.get("formatter")
    if held.get("filters", True):  # of a shared one, memory has what it holds
        return False
    if formatter is not None and type(formatter).__module__ not in ("logging", "_pytest.logging"):
        return False
    if kind is logging.StreamHandler:
        stream = handler.stream
        is_file = type(stream) is TextIOWrapper and type(stream.buffer) is BufferedWriter
        return is_file or type(stream) is Stream or type(stream).__module__ in _OF_TERMINALS
    if kind in (logging.NullHandler, logging.FileHandler, logging._StderrHandler):
        return True
    is_rotating = kind.__module__ == "logging.handlers" and issubclass(kind, logging.FileHandler)
    return is_rotating or kind.__module__ == "_pytest.logging"


def taking_locks(logging: Any) -> Iterator[Any]:
    """Functions that hold a lock of the library while they run, or look at the clock for what no thread reads."""
    yield from (logging.getLogger, logging.basicConfig, logging.Logger.isEnabledFor, logging.Logger._log)
    yield from (logging.Logger.setLevel, logging.Logger.addHandler, logging.Logger.removeHandler)
    yield from (logging.Handler.__init__, logging.StreamHandler.__init__)


_OF_TERMINALS = ("_pytest.capture", "ipykernel.iostream")
"""Modules with what stands for standard streams in pytest and in notebooks."""


@contextmanager
def heard_once(stop: Callable[[ModelError], NoReturn]) -> Iterator[None]:
    """Around explorations: the standard streams, `breakpoint()`, and logging if anybody has imported it, obey.

    `stop` stops the code that is running with an error.
    """
    before = sys.stdout, sys.stderr
    ours: tuple[Any, Any] = (Stream(sys.stdout), Stream(sys.stderr))
    sys.stdout, sys.stderr = ours
    pause = sys.breakpointhook
    sys.breakpointhook = lambda *given, **more: None if own_watch().code is not None else pause(*given, **more)
    logging: Any = sys.modules.get("logging")
    log = None if logging is None else logging.Logger.callHandlers
    if log is not None:
        for function in taking_locks(logging):
            natively(function)
        logging.Logger.callHandlers = lambda logger, record: (
            _log_quietly(logging, logger, record, stop) if _is_quiet() else log(logger, record)
        )
    try:
        yield
    finally:
        sys.breakpointhook = pause
        if log is not None:
            logging.Logger.callHandlers = log
        sys.stdout = before[0] if sys.stdout is ours[0] else sys.stdout
        sys.stderr = before[1] if sys.stderr is ours[1] else sys.stderr
