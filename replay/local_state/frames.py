"""The frames of a thread and of generators, written one after the other."""

from __future__ import annotations

import gc
import inspect
from types import FrameType, GeneratorType
from typing import Any

from replay.code.doubt import Doubt
from replay.local_state.calls import Called, held_by_c
from replay.local_state.suspended import Known, Stop, Suspended
from replay.local_state.writer import Writer


class Frames:
    """Writes frames, and remembers what their code says."""

    def __init__(self) -> None:
        self._known: dict[int, Known] = {}

    def write_stack(self, writer: Writer, frames: list[FrameType], handled: BaseException | None) -> None:
        """All frames of a thread, innermost first: each but the first waits for the one before.

        `handled` is the exception that the innermost one handles.
        """
        writer.frames = frames
        if handled is not None and any(frame.f_code.co_flags & inspect.CO_GENERATOR for frame in frames):
            raise Doubt("a generator that runs while an exception is handled")  # its caller may handle another one
        called: FrameType | None = None
        called_ours = ends = False
        for frame in frames:
            stop = self._stop(writer, frame)
            if stop.is_plain and (called_ours or called is None):
                writer.tokens.append(stop.number)
            else:
                suspended = Suspended(frame, stop)
                suspended.write(writer)
                if called is not None:
                    if ends and not suspended.called_directly(called):
                        raise Doubt("a generator that may be given up")
                    _write_held(writer, suspended, called, called_ours)
            called, called_ours, ends = frame, stop.known.is_ours, stop.point.thrown

    def write_generator(self, writer: Writer, value: GeneratorType[Any, Any, Any]) -> None:
        """A generator: its frame, unless it is over, or among the frames that wait for others."""
        if not writer.is_new(value):
            return
        frame = value.gi_frame
        if frame is None:
            writer.tokens += (GeneratorType, "over")
        elif frame in writer.frames:
            writer.tokens += (GeneratorType, writer.frames.index(frame))
        elif value.gi_running:
            raise Doubt("a generator that runs")
        else:
            writer.tokens += (GeneratorType, "suspended", value.__name__, value.__qualname__)
            _check_no_exception(value)
            Suspended(frame, self._stop(writer, frame)).write(writer)

    def _stop(self, writer: Writer, frame: FrameType) -> Stop:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None or known.names is not frame.f_globals:
            known = self._known[id(code)] = Known(writer, code, frame.f_globals)
        return known.stops.get(frame.f_lasti) or known.stop(writer, frame.f_lasti)


def _write_held(writer: Writer, caller: Suspended, called: FrameType, called_ours: bool) -> None:
    """What C code holds between two frames, if there is any; our own code lets none hold anything."""
    if called_ours and (caller.stop.known.is_ours or caller.called_directly(called)):
        return
    held = held_by_c(caller, Called(called, called_ours, writer.reach_of_thread))
    if held:
        writer.tokens.append("held")
        writer.all(held)


def _check_no_exception(value: GeneratorType[Any, Any, Any]) -> None:
    """Raise Doubt if a suspended generator may be handling an exception: that is the last thing which it refers to."""
    held = gc.get_referents(value)
    if held and isinstance(held[-1], BaseException):
        raise Doubt("a generator that handles an exception")
