"""Intrinsics that look at frames or change them: for the interpreter's own Python code, for `super()` and
`sys.exception()`."""

from __future__ import annotations

import sys
import types
from typing import Any

from replay.interpreter import generators, groups, protocols
from replay.interpreter.calls import intrinsic
from replay.interpreter.exceptions import raise_error
from replay.interpreter.execution import SWITCH, Execution
from replay.interpreter.frame import NULL, Frame, held_in
from replay.interpreter.tracebacks import check_traceback, lines_of, traceback_of
from replay.interpreter.versions import WRAPPED_HAS_LINE


@intrinsic(super)
def _super(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    """`super()` finds the class in a cell of its frame, and the object in its first argument."""
    if not arguments:
        arguments = [_cell_named(frame, "__class__"), _first_argument(frame)]
    frame.stack.append(super(*arguments))
    return None


def _cell_named(frame: Frame, name: str) -> Any:
    names = frame.decoded.names
    if name not in names:
        raise RuntimeError("super(): __class__ cell not found")
    held = held_in(frame.slots[names.index(name)])
    if held is NULL:
        raise RuntimeError("super(): empty __class__ cell")
    return held


def _first_argument(frame: Frame) -> Any:
    if not frame.code.co_argcount:
        raise RuntimeError("super(): no arguments")
    held = frame.slots[0]
    if type(held) is types.CellType:
        held = held.cell_contents
    if held is NULL:
        raise RuntimeError("super(): arg[0] deleted")
    return held


@intrinsic(protocols.run_body)
def _run_body(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int:
    body, namespace = arguments
    frame.execution.push(body, [], {}).names = namespace
    return SWITCH


@intrinsic(generators.resume)
def _resume(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    return generators.begin_resume(frame.execution, frame, *arguments)


@intrinsic(generators.leave_silently)
def _leave_silently(frame: Frame, _: list[Any], __: dict[str, Any]) -> int:
    frame.execution.frames.pop()
    return SWITCH


Execution.close = generators.close_dropped


@intrinsic(generators.resume_raising)
def _resume_raising(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    return generators.begin_resume_raising(frame.execution, frame, *arguments)


@intrinsic(generators.resume_calling)
def _resume_calling(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    return generators.begin_resume_calling(frame.execution, frame, *arguments)


@intrinsic(groups.wrapped)
def _wrapped(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    made = BaseExceptionGroup("", (arguments[0],))
    if WRAPPED_HAS_LINE:  # frames of protocols are above the one whose `except*` it is
        of_user = frame.execution.frames[-2]
        frame.execution.set_lines(made, [(of_user.code.co_filename, of_user.code.co_qualname, of_user.line)])
    frame.stack.append(made)


@intrinsic(groups.take_after)
def _take_after(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    part, group = arguments
    groups.give_marks(part, group)
    frame.execution.set_lines(part, list(frame.execution.passed(group)))
    frame.stack.append(None)


@intrinsic(groups.is_part_of)
def _is_part_of(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    part, group = arguments
    passed = frame.execution.passed
    frame.stack.append(groups.has_marks(part, group) and passed(part) == passed(group))


@intrinsic(BaseException.with_traceback)
def _with_traceback(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    if len(arguments) != 2 or keywords:
        BaseException.with_traceback(*arguments, **keywords)
    error, traceback = arguments
    check_traceback(traceback)
    frame.execution.set_lines(error, lines_of(traceback))
    frame.stack.append(error)


@intrinsic(sys.exception)
def _exception(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    frame.stack.append(frame.handled.innermost())


@intrinsic(sys.exc_info)
def _exc_info(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    error = frame.handled.innermost()
    traceback = traceback_of(frame.execution.passed(error)) if error is not None else None
    frame.stack.append((None if error is None else type(error), error, traceback))


@intrinsic(protocols.raise_in_caller)
def _raise_in_caller(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int:
    """The frame of `raise_made` ends: what it has made is raised by the code that it was made for."""
    frame.execution.frames.pop()
    error, cause = arguments
    raise_error(frame.execution.frames[-1], error, cause)
