"""Standard output and error of a command: nothing hidden reaches the terminal, and whatever they lead to may fail.

The checked programs print to them too, in threads whose exceptions are
findings; so writing never raises. That nothing can be written any more is told
when output is flushed, which only we do.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from mcr.report.printable import printable_but_painted

_CLOSED = "it is closed"


class OutputError(Exception):
    """Standard output cannot be written; `unread`: it was closed by its reader."""

    def __init__(self, reason: str, *, unread: bool = False) -> None:
        super().__init__(f"standard output: {reason}")
        self.unread = unread


class PrintableStream(io.TextIOBase):
    """A stream that shows what is hidden; `matters` says that whoever flushes has to know that it failed."""

    def __init__(self, stream: TextIO, *, matters: bool) -> None:
        self._stream = stream
        self._matters = matters
        self._error: OutputError | None = None

    def __del__(self) -> None:
        """Does nothing: Python would flush once more, when no error can be told any more, and from 3.14 on print it."""

    def write(self, text: str, /) -> int:
        self._attempt(lambda: self._stream.write(printable_but_painted(text)))
        return len(text)

    def flush(self) -> None:
        """Raises OutputError if something could not be written."""
        self._attempt(self._stream.flush)
        if self._error is not None and self._matters:
            raise self._error

    def _attempt(self, action: Any) -> None:
        if self._error is not None:
            return
        try:
            action()
        except OSError as error:
            self._error = OutputError(error.strerror or str(error), unread=isinstance(error, BrokenPipeError))
        except ValueError:  # the checked program closed it
            self._error = OutputError(_CLOSED)

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


@contextlib.contextmanager
def careful_streams() -> Iterator[None]:
    """Put our streams in the place of the standard ones. Raises OutputError if there is no standard output."""
    _open_the_closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        raise OutputError(_CLOSED)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # names and values that its encoding does not have; and whole lines, should we be killed
            stream.reconfigure(errors="backslashreplace", line_buffering=True)
    out: Any = PrintableStream(sys.stdout, matters=True)
    err: Any = PrintableStream(sys.stderr, matters=False)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


def _open_the_closed() -> None:
    """Let descriptors 0 to 2 lead somewhere: a file that gets one of them would receive what others print."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def forget_output() -> None:
    """Let what could not be written go nowhere, so that the interpreter does not try again when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
