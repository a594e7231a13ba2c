"""Which lines of a stack are the user's."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from traceback import walk_tb
from types import CodeType, FrameType, TracebackType

from replay.interpreter.execution import Execution, running_execution
from replay.interpreter.frame import Frame
from replay.world.operation import Source

_LIBRARY = os.path.join(sysconfig.get_path("stdlib"), "")
_PACKAGES = os.path.join(sysconfig.get_path("purelib"), "")
_FOLDERS = (_LIBRARY, _PACKAGES, *(os.path.join(sysconfig.get_path(each), "") for each in ("platstdlib", "platlib")))
_ASSERTIONS = os.path.join(_LIBRARY, "unittest", "case.py")
_FACADE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "mcr", "__init__.py"
)
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

OURS = (_OURS, "<frozen", _FACADE)
"""What names of files begin with that are not the user's."""

_CHECKER = (_OURS, os.path.join(os.path.dirname(_FACADE), ""))

_SET_UP = os.path.join(_OURS, "frontend", "program.py")


@functools.cache
def is_user_code(filename: str) -> bool:
    """Returns whether a file is not of this package."""
    return not filename.startswith(OURS)


@functools.cache
def is_ours(filename: str) -> bool:
    """Returns whether a file is one of this package, whose code is known to do nothing odd."""
    return filename.startswith(_OURS)


@functools.cache
def is_of_checker_file(filename: str) -> bool:
    """Returns whether a file is one of the checker: of this package, or of `mcr`."""
    return filename.startswith(_CHECKER)


@functools.cache
def is_installed(filename: str) -> bool:
    """Returns whether a file is one of Python's library, or of an installed package."""
    return filename.startswith(_FOLDERS)


def installed_name(filename: str) -> str:
    """Returns the path of an installed file below its folder, as `limits/storage/memory.py`; "" for any other file."""
    folder = max((each for each in _FOLDERS if filename.startswith(each)), key=len, default="")
    return filename[len(folder) :] if folder else ""


def is_of_library(code: CodeType) -> bool:
    """Returns whether code is in a file of Python itself."""
    return is_of_python(code.co_filename)


@functools.cache
def is_of_python(filename: str) -> bool:
    """Returns whether a file is one of Python itself, and of no installed package."""
    return filename.startswith(("<frozen", _LIBRARY)) and not filename.startswith(_PACKAGES)


def is_assertion_of_unittest(filename: str) -> bool:
    """Returns whether a file holds unittest's assertions, which its own reports leave out."""
    return filename == _ASSERTIONS


def is_library_file(filename: str) -> bool:
    """Returns whether a file is of Python, of an installed package or of the checker: its globals are no model's."""
    return is_installed(filename) or not is_user_code(filename)


def is_library_module(name: str) -> bool:
    """Returns whether a module is one of a library: also if it has no file."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return name != "__main__" and (file is None or is_library_file(file))


def source_at(frame: FrameType, line: int) -> Source:
    """The line of a function that CPython runs."""
    return Source(frame.f_code.co_filename, line, frame.f_code.co_qualname)


def definition(function: object) -> Source | None:
    """Returns the line where a function begins; None for what is not written in Python."""
    code = getattr(function, "__code__", None)
    return None if code is None else Source(code.co_filename, code.co_firstlineno, code.co_qualname)


def innermost_line(own: int = 1) -> Source | None:
    """The line of user code that is running now, some `own` frames from here; None if none is on the stack.

    Asked for at every operation, so each frame is asked for its code once: Python tells every audit hook of that.
    """
    execution = running_execution()
    if execution is not None:
        return innermost_of(execution)
    frame: FrameType | None = sys._getframe(own)
    while frame is not None:
        code = frame.f_code
        if is_user_code(code.co_filename):
            return Source(code.co_filename, frame.f_lineno, code.co_qualname)
        frame = frame.f_back
    return None


def innermost_of(execution: Execution) -> Source | None:
    """The innermost line of user code in an execution; None if it runs none."""
    return next(map(source_of, execution.visible()), None)


def lines_of(execution: Execution) -> list[Source]:
    """Returns the line of each function of the user that an execution runs, innermost first."""
    return list(map(source_of, execution.visible()))


def line_outside_library_of(execution: Execution) -> Source | None:
    """Returns the innermost line of code that is not in Python's own library, if there is any."""
    return next(
        (source_of(frame) for frame in execution.visible() if not is_of_library(frame.code)), innermost_of(execution)
    )


def source_of(frame: Frame) -> Source:
    """The line where a frame of the interpreter stands."""
    return Source(frame.code.co_filename, frame.line, frame.code.co_qualname)


def line_outside_library() -> Source | None:
    """As `line_outside_library_of`, from the caller outwards if no thread is being run."""
    execution = running_execution()
    if execution is not None:
        return line_outside_library_of(execution)
    inner: FrameType | None = None
    for frame in user_frames(sys._getframe(1)):
        if not is_of_library(frame.f_code):
            return source_at(frame, frame.f_lineno)
        inner = inner or frame
    return None if inner is None else source_at(inner, inner.f_lineno)


def is_set_up(frame: FrameType) -> bool:
    """Returns True for the frame that calls the function of a program."""
    return frame.f_code.co_filename == _SET_UP and "._run_on" in frame.f_code.co_qualname


def frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, and those that wait for it, outwards."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def user_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames of user code from this one outwards."""
    return (each for each in frames_from(frame) if is_user_code(each.f_code.co_filename))


def user_stack(traceback: TracebackType | None) -> tuple[Source, ...]:
    """The lines of user code in a traceback, innermost first."""
    found = [source_at(*each) for each in walk_tb(traceback) if is_user_code(each[0].f_code.co_filename)]
    return tuple(reversed(found))
