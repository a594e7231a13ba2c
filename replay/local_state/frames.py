"""The frames of a thread and of generators, written one after the other."""

from __future__ import annotations

import gc
from types import FrameType, GeneratorType
from typing import Any

from replay.local_state.calls import held_by_c
from replay.local_state.doubt import Doubt
from replay.local_state.suspended import Place, Suspended
from replay.local_state.writer import Writer


class Frames:
    """Writes frames, and remembers what their code says."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, int], Place] = {}

    def write_stack(self, writer: Writer, frames: list[FrameType]) -> None:
        """All frames of a thread, innermost first: each but the first waits for the one before."""
        writer.active = {id(frame): number for number, frame in enumerate(frames)}
        called: Suspended | None = None
        for frame in frames:
            suspended = self._suspended(writer, frame)
            suspended.write(writer)
            if called is not None and not (suspended.place.is_ours and called.place.is_ours):
                writer.all(held_by_c(suspended, called))
            called = suspended

    def write_generator(self, writer: Writer, value: GeneratorType[Any, Any, Any]) -> None:
        """A generator: its frame, unless it is over, or among the frames that wait for others."""
        if not writer.is_new(value):
            return
        frame = value.gi_frame
        if frame is None:
            writer.tokens += (GeneratorType, "over")
        elif id(frame) in writer.active:
            writer.tokens += (GeneratorType, writer.active[id(frame)])
        elif value.gi_running:
            raise Doubt("a generator that runs")
        else:
            writer.tokens += (GeneratorType, "suspended")
            _check_no_exception(value)
            self._suspended(writer, frame).write(writer)

    def _suspended(self, writer: Writer, frame: FrameType) -> Suspended:
        key = (id(frame.f_code), id(frame.f_globals))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = Place(writer, frame)
        return Suspended(frame, place)


def _check_no_exception(value: GeneratorType[Any, Any, Any]) -> None:
    """Raise Doubt if a suspended generator may be handling an exception: that is the last thing which it refers to."""
    held = gc.get_referents(value)
    if held and isinstance(held[-1], BaseException):
        raise Doubt("a generator that handles an exception")
