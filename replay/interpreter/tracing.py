"""Telling a trace function what interpreted code does, as `sys.settrace` tells one of CPython's.

Debuggers and measures of coverage look at frames of CPython. A `ShownFrame` shows them one of ours.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from replay.interpreter.calls import intrinsic
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import STOP, Execution
from replay.interpreter.frame import NULL, Frame, held_in
from replay.interpreter.views import FrameParts

Trace = Callable[[Any, str, Any], Any]
"""A trace function, as `sys.settrace` takes it: of a frame, an event and what belongs to the event."""

_BEFORE_CODE = frozenset({"MAKE_CELL", "COPY_FREE_VARS", "RETURN_GENERATOR"})
"""Instructions which a function begins with, before CPython says that it is called."""

_LEAVES = frozenset({"RETURN_VALUE", "YIELD_VALUE"})


class Locals(dict[str, Any]):
    """The local variables of a frame by name: what is set here is set there.

    added  names that debuggers add
    """

    def __init__(self, frame: Frame, added: dict[str, Any]) -> None:
        self._frame = frame
        self._added = added
        super().__init__({**(_held(frame) if frame.names is None else frame.names), **added})

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if name in self._frame.decoded.names:
            _put(self._frame, name, value)
        else:
            self._added[name] = value

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        if name in self._frame.decoded.names:
            _put(self._frame, name, NULL)
        else:
            self._added.pop(name, None)


def _held(frame: Frame) -> dict[str, Any]:
    """Returns the local variables that have a value."""
    slots = zip(frame.decoded.names, frame.slots, strict=True)
    held = ((name, _content(_is_cell(frame, name), slot)) for name, slot in slots)
    return {name: value for name, value in held if value is not NULL}


def _is_cell(frame: Frame, name: str) -> bool:
    return name in frame.code.co_cellvars or name in frame.code.co_freevars


def _content(is_cell: bool, slot: Any) -> Any:
    """Returns what a slot holds, or the cell in it; NULL for nothing."""
    return held_in(slot) if is_cell and type(slot) is types.CellType else slot


def _put(frame: Frame, name: str, value: Any) -> None:
    """Let a variable have a value, or none for NULL."""
    place = frame.decoded.names.index(name)
    cell = frame.slots[place]
    if not _is_cell(frame, name) or type(cell) is not types.CellType:
        frame.slots[place] = value
    elif value is not NULL:
        cell.cell_contents = value
    else:
        del cell.cell_contents


class ShownFrame(FrameParts):
    """A frame of ours with the attributes of CPython's. `isinstance` takes it for one.

    is_entered  whether its call had begun before, or the trace function was told of it
    is_called   whether the trace function is being told of it
    latest      the instruction that ran last; -1 if none did
    """

    f_trace_lines = True
    f_trace_opcodes = False

    def __init__(self, frame: Frame, is_entered: bool) -> None:
        self.frame = frame
        self.f_trace: Trace | None = None
        self.is_entered = is_entered
        self.is_called = False
        self.latest = frame.position - (1 if is_entered else 2)
        self._added: dict[str, Any] = {}

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return types.FrameType

    @property
    def f_lineno(self) -> int:
        return self.f_code.co_firstlineno if self.is_called else self.frame.line

    @f_lineno.setter
    def f_lineno(self, _: int) -> None:
        raise ValueError("the code of a thread goes on where it stands")

    @property
    def f_locals(self) -> Locals:
        return Locals(self.frame, self._added)

    @property
    def f_back(self) -> ShownFrame | None:
        """The next frame of user code that waits for this one; for the outermost of them the base frame."""
        frames = self.frame.execution.frames
        outer = frames[: frames.index(self.frame)] if self.frame in frames else []
        found = next((each for each in reversed(outer) if not each.decoded.hidden), outer[0] if outer else None)
        return None if found is None else shown_frame(found, True)


def innermost_shown(execution: Execution) -> ShownFrame | None:
    """Returns the shown frame for the innermost active frame of user code; None if there is none."""
    return next((shown_frame(frame, True) for frame in execution.visible()), None)


def shown_frame(frame: Frame, is_entered: bool) -> ShownFrame:
    """Returns what shows a frame, the same object each time; `is_entered` is for one that was not seen before."""
    execution: Execution = frame.execution
    if execution.shown is None:
        execution.shown = {}
    found = execution.shown.get(id(frame))
    if found is None:
        found = execution.shown[id(frame)] = ShownFrame(frame, is_entered)
    return found


class Onlooker(Protocol):
    """A debugger, or a measure of coverage."""

    def trace_interpreted(self, frame: Any, event: str, argument: Any) -> Trace | None:
        """The trace function: it returns the one for the next events of the frame, None to keep that."""

    def resumed(self, frame: Any) -> None:
        """Code that was suspended goes on in a frame."""

    def paused(self, frame: Any) -> None:
        """Code calls `breakpoint()` in a frame."""


class Tracing:
    """Runs executions, and tells an onlooker of calls, lines, exceptions and returns."""

    def __init__(self, onlooker: Onlooker) -> None:
        self.onlooker = onlooker

    def steps(self, execution: Execution) -> Any:
        """Does what `Execution.steps` does."""
        frames, dropped = execution.frames, execution.dropped
        innermost = innermost_shown(execution)
        if innermost is not None:
            self.onlooker.resumed(innermost)
        while True:
            frame = frames[-1]
            decoded, position = frame.decoded, frame.position
            frame.position = position + 1
            if not decoded.hidden:
                self._before(shown_frame(frame, False), position)
            if decoded.functions[position](frame) is STOP:
                return execution.result
            if dropped:
                execution.push(execution.close, [dropped.pop()], {})

    def _before(self, shown: ShownFrame, position: int) -> None:
        """An instruction is about to run."""
        decoded = shown.frame.decoded
        name = decoded.steps[position][0]
        if not shown.is_entered:
            if name in _BEFORE_CODE or (position and decoded.steps[position - 1][0] == "RETURN_GENERATOR"):
                return
            shown.is_entered, shown.is_called = True, _is_start(decoded, position)
            if shown.is_called:
                shown.latest = -1
            self._tell(shown, self.onlooker.trace_interpreted, "call", None)
            shown.is_called = False
        if shown.f_trace is not None and _begins_line(decoded, position, shown.latest):
            self._tell(shown, shown.f_trace, "line", None)
        shown.latest = position
        if name in _LEAVES:
            self._left(shown, shown.frame.stack[-1])
            if name == "RETURN_VALUE":
                _forget(shown.frame)

    def raised(self, frame: Frame, error: BaseException) -> None:
        """An exception was raised where a frame stands."""
        shown = shown_frame(frame, True)
        if shown.f_trace is not None:
            self._tell(shown, shown.f_trace, "exception", (type(error), error, None))

    def left(self, frame: Frame) -> None:
        """An exception has left a frame."""
        self._left(shown_frame(frame, True), None)
        _forget(frame)

    def _left(self, shown: ShownFrame, value: Any) -> None:
        """The code of a frame has come to its end, or yields a value."""
        if shown.f_trace is not None:
            self._tell(shown, shown.f_trace, "return", value)
        shown.is_entered = False

    def _tell(self, shown: ShownFrame, trace: Trace, event: str, argument: Any) -> None:
        """Call a trace function, which may return the one for the next events of the frame."""
        following = trace(shown, event, argument)
        if following is not None:
            shown.f_trace = following


def _forget(frame: Frame) -> None:
    """The call of a frame is over."""
    frame.execution.shown.pop(id(frame), None)


def _is_start(decoded: Decoded, position: int) -> bool:
    """Returns True for the first instruction of a function that does anything."""
    return all(name in _BEFORE_CODE or name == "POP_TOP" for name, _ in decoded.steps[:position])


def _begins_line(decoded: Decoded, position: int, latest: int) -> bool:
    """Returns True where CPython tells of a line: at its first instruction, and after a jump backwards."""
    line = _line(decoded, position)
    if line is None:
        return False
    if latest < 0 or line != _line(decoded, latest):
        return True
    return position < latest and decoded.steps[position][0] != "SEND"


def _line(decoded: Decoded, position: int) -> int | None:
    """The line of an instruction; None for one that stands nowhere in the text."""
    place = decoded.positions[position]
    return None if place is None else place.lineno


@contextmanager
def traced(onlooker: Onlooker) -> Iterator[None]:
    """In the block, executions tell an onlooker what they do."""
    before = Execution.tracing
    Execution.tracing = Tracing(onlooker)
    try:
        yield
    finally:
        Execution.tracing = before


@intrinsic(breakpoint)
def _breakpoint(frame: Frame, _: list[Any], __: dict[str, Any]) -> None:
    """`breakpoint()` stops in the debugger that looks on, if one does."""
    execution: Execution = frame.execution
    shown = innermost_shown(execution)
    if execution.tracing is not None and shown is not None:
        execution.tracing.onlooker.paused(shown)
    frame.stack.append(None)
