"""Frames of the interpreter as Python shows frames: `sys._getframe` and all that reads what it returns."""

from __future__ import annotations

import _warnings
import sys
from collections.abc import Iterator
from types import CellType, CodeType
from typing import Any

from replay.interpreter import generators
from replay.interpreter.calls import intrinsic
from replay.interpreter.execution import SWITCH, Execution
from replay.interpreter.frame import NULL, Frame, held_in
from replay.interpreter.lookup import is_a
from replay.interpreter.versions import LOCALS_ARE_NEW


class FrameParts:
    """The parts of a frame that are shown alike to code and to debuggers."""

    frame: Frame

    @property
    def f_code(self) -> CodeType:
        return self.frame.code

    @property
    def f_lasti(self) -> int:
        return self.frame.decoded.offsets[max(self.frame.position - 1, 0)]

    @property
    def f_globals(self) -> dict[str, Any]:
        return self.frame.globals

    @property
    def f_builtins(self) -> dict[str, Any]:
        return self.frame.builtins


class FrameView(FrameParts):
    """A frame as seen from inside: what `sys._getframe` returns, to be read and not to be changed.

    `frame` is the one that is seen; `index` its place in its execution, 0 for the frame of a generator that waits.
    """

    def __init__(self, frame: Frame, index: int = 0) -> None:
        self._index = index
        self.frame = frame

    @property
    def f_lineno(self) -> int:
        return self.frame.line

    @property
    def f_locals(self) -> Any:
        return kept_locals(self.frame)

    @property
    def f_back(self) -> FrameView | None:
        """The frame that waits for this one."""
        return view(self.frame.execution, self._index - 1)


def shown_frames(execution: Execution) -> Iterator[FrameView]:
    """The frames of user code, innermost first."""
    for index in range(len(execution.frames) - 1, -1, -1):
        if not execution.frames[index].decoded.hidden:
            yield FrameView(execution.frames[index], index)


def view(execution: Execution, index: int) -> FrameView | None:
    """The frame at an index, or the next one outwards that is not the interpreter's own; None if there is none."""
    while index >= 0 and execution.frames[index].decoded.is_own:
        index -= 1
    return None if index < 0 else FrameView(execution.frames[index], index)


def locals_of(frame: Frame) -> Any:
    """The local variables of a frame: its namespace, or a new dictionary of its variables."""
    if not frame.code.co_flags & _OPTIMIZED:
        return frame.globals if frame.names is None else frame.names
    cells = {*frame.code.co_cellvars, *frame.code.co_freevars}
    found = {}
    for name, value in zip(frame.decoded.names, frame.slots, strict=True):
        if name in cells and type(value) is CellType:
            value = held_in(value)
        if value is not NULL:
            found[name] = value
    return found


_OPTIMIZED = 1


def kept_locals(frame: Frame) -> Any:
    """As `locals_of`, as CPython shows it: until 3.13 one dictionary for each call, which is brought up to date."""
    found = locals_of(frame)
    if LOCALS_ARE_NEW or not frame.code.co_flags & _OPTIMIZED:
        return found
    if frame.names is None:
        frame.names = {}
    for name in frame.decoded.names:
        if name not in found:
            frame.names.pop(name, None)
    frame.names.update(found)
    return frame.names


@intrinsic(sys._getframe)
def _getframe(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    found = _view_at(frame, arguments[0] if arguments else 0)
    if found is None:
        raise ValueError("call stack is not deep enough")
    frame.stack.append(found)


def _view_at(frame: Frame, depth: int) -> FrameView | None:
    """The frame of a caller, so many calls above; None if there is none."""
    found = view(frame.execution, len(frame.execution.frames) - 1)
    for _step in range(depth):
        found = None if found is None else found.f_back
    return found


if hasattr(sys, "_getframemodulename"):  # from 3.12 on

    @intrinsic(sys._getframemodulename)
    def _getframemodulename(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        depth = arguments[0] if arguments else keywords.get("depth", 0)
        found = _view_at(frame, depth)
        frame.stack.append(None if found is None else found.f_globals.get("__name__"))


@intrinsic(locals)
def _locals(frame: Frame, _: list[Any], __: dict[str, Any]) -> None:
    frame.stack.append(kept_locals(frame))


@intrinsic(generators.frame_of)
def _frame_of(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    generator = arguments[0]
    frames = generator.frame.execution.frames
    index = frames.index(generator.frame) if generator.state == "running" else 0
    frame.stack.append(None if generator.state == "over" else FrameView(generator.frame, index))


@intrinsic(globals)
def _globals(frame: Frame, _: list[Any], __: dict[str, Any]) -> int | None:
    objects = frame.execution.objects
    if objects is not None and objects.load_globals(frame):
        return SWITCH
    frame.stack.append(frame.globals)
    return None


@intrinsic(_warnings.warn)
def _warn(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """A warning names the line that its `stacklevel` says."""
    _warn_there(frame.execution, *arguments, **keywords)
    frame.stack.append(None)


def _warn_there(
    execution: Execution, message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **_: Any
) -> None:
    if is_a(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    found = view(execution, len(execution.frames) - 1)
    for _step in range(stacklevel - 1):
        found = found if found is None or found.f_back is None else found.f_back
    file, line, module = "sys", 1, "sys"
    if found is not None:
        file, line = found.f_code.co_filename, found.f_lineno
        module = found.f_globals.get("__name__") or "<string>"
    _warnings.warn_explicit(message, category, file, line, module, None, None, source)
