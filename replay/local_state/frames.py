"""How the interpreter's frames are written, and what else of it a thread may hold."""

from __future__ import annotations

import contextvars

from replay.interpreter.async_generators import AsyncGenerator, AsyncStep, AsyncYielded
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import Execution
from replay.interpreter.frame import Frame, Handled, Mark, Returned
from replay.interpreter.generators import Coroutine, Generator
from replay.interpreter.liveness import live_slots
from replay.interpreter.points import numbered
from replay.interpreter.views import FrameView
from replay.local_state.reach import Fixed
from replay.local_state.writer import Handler, Unkeyable, Writer, made_of, told_by

_live: dict[Decoded, list[tuple[int, ...]]] = {}
_numbered: dict[Decoded, list[int]] = {}


def _numbers(decoded: Decoded) -> list[int]:
    found = _numbered.get(decoded)
    if found is None:
        found = _numbered[decoded] = numbered(decoded)
    return found


def _live_at(decoded: Decoded, position: int) -> tuple[int, ...]:
    found = _live.get(decoded)
    if found is None:
        found = _live[decoded] = live_slots(decoded)
    return found[position]


class FrameWriter:
    """Writes the frames of one exploration."""

    def __init__(self, fixed: Fixed) -> None:
        self._fixed = fixed

    def write_execution(self, writer: Writer, execution: Execution) -> None:
        """All frames of a thread, outermost first."""
        if execution.dropped:
            raise Unkeyable("a generator that is about to be closed")
        writer.tokens.append(len(execution.frames))
        _write_handled(writer, execution.handled)
        for frame in execution.frames:
            self._write_frame(writer, frame)
        for each in execution.identities.held():
            writer.write(each)
        self._write_context(writer, execution.context)

    def _write_frame(self, writer: Writer, frame: Frame) -> None:
        decoded = frame.decoded
        writer.tokens += (
            self._fixed.code_number(decoded.code),
            _numbers(decoded)[frame.position - 1],
            len(frame.stack),
        )
        if not decoded.hidden:
            writer.reach(self._fixed.reached_by_code(decoded.code, frame.globals))
        ends = writer.reach_of_thread.ends  # else it makes no difference when a value that nobody reads goes
        for slot in range(len(frame.slots)) if ends else _live_at(decoded, frame.position):
            writer.write(frame.slots[slot])
        for value in frame.stack:
            writer.write(value)
        if frame.names is not None:
            writer.write(frame.names)
        if type(frame.made) is not Mark:
            writer.write(frame.made)
        if frame.generator is not None:
            writer.write(frame.generator)
            _write_handled(writer, frame.handled)

    def number(self, thing: object) -> int:
        """The number of an object that is the same in all runs, or else of one run."""
        return self._fixed.keep(thing)

    def _write_context(self, writer: Writer, context: contextvars.Context) -> None:
        """The context variables that the thread has set."""
        numbered = sorted((self._fixed.keep(variable), variable) for variable in context)
        writer.tokens += ("context", len(numbered))
        for number, variable in numbered:
            writer.tokens.append(number)
            writer.write(context[variable])

    def write_generator(self, writer: Writer, value: Generator) -> None:
        """A generator of ours: its frame, unless it is over, or among those that are active."""
        if not writer.is_new(value):
            return
        frame = value.frame
        writer.tokens += (type(value), value.state, value.__name__, value.__qualname__)
        if value.state == "running":
            if writer.execution is None or frame not in writer.execution.frames:
                raise Unkeyable("a generator that another thread runs")
            writer.tokens.append(writer.execution.frames.index(frame))
        elif value.state != "over":
            _write_handled(writer, frame.handled)
            self._write_frame(writer, frame)


def _write_handled(writer: Writer, handled: Handled) -> None:
    if handled.error is not None:
        writer.tokens.append("handled")
        writer.write(handled.error)


def _refuse_view(_: Writer, __: FrameView) -> None:
    raise Unkeyable("a frame that code looks at")


def handlers(frames: FrameWriter) -> dict[type, Handler]:
    """How objects of the interpreter are written."""
    return {
        **dict.fromkeys((Generator, Coroutine, AsyncGenerator), frames.write_generator),
        contextvars.ContextVar: lambda writer, value: writer.tokens.append(frames.number(value)),
        AsyncStep: made_of(lambda value: (value.generator, value.how, value.value, value.state)),
        FrameView: _refuse_view,
        Mark: told_by(lambda value: (repr(value),)),
        Returned: made_of(lambda value: (value.value,)),
        AsyncYielded: made_of(lambda value: (value.value,)),
    }
