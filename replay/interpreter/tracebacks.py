"""Tracebacks as interpreted code sees them: made of the lines through which an exception went."""

from __future__ import annotations

import types
from types import SimpleNamespace
from typing import Any

from replay.interpreter.exceptions import Line
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import shows_as


@shows_as(types.TracebackType)
class Traceback:
    """The entries of a traceback, outermost first; `tb_next` is that without the first one."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = tuple(lines)

    @property
    def tb_lineno(self) -> int:
        return self.lines[0][2]

    @property
    def tb_lasti(self) -> int:
        return -1

    @property
    def tb_next(self) -> Traceback | None:
        return Traceback(list(self.lines[1:])) if len(self.lines) > 1 else None

    @property
    def tb_frame(self) -> Any:
        """A frame that says where it is, and nothing else."""
        file, name, line = self.lines[0]
        code = SimpleNamespace(co_filename=file, co_name=name.rpartition(".")[2], co_qualname=name, co_firstlineno=line)
        return FrameOfTraceback(code, line)


@shows_as(types.FrameType)
class FrameOfTraceback:
    """A frame that ended by an exception; its variables are not kept, so there is nothing to clear."""

    f_back = None

    def __init__(self, code: Any, line: int) -> None:
        self.f_code = code
        self.f_lineno = line
        self.f_globals: dict[str, Any] = {}
        self.f_locals: dict[str, Any] = {}

    def clear(self) -> None:
        """Does nothing (`traceback.clear_frames`, which unittest calls)."""


def traceback_of(lines: list[Line]) -> Traceback | None:
    return Traceback(lines) if lines else None


def lines_of(traceback: Any) -> list[Line]:
    """The lines of a traceback; none for None, and for one of CPython's own."""
    return list(traceback.lines) if type(traceback) is Traceback else []


def check_traceback(value: Any) -> None:
    """Raise the TypeError of `error.__traceback__ = value`."""
    if value is not None and not is_a(value, (Traceback, types.TracebackType)):
        raise TypeError("__traceback__ must be a traceback or None")
