"""One suspended frame: what its code says of the place where it stands, and what it holds there."""

from __future__ import annotations

from types import FrameType, GeneratorType
from typing import Any

from replay.local_state.bytecode import Bytecode, Point
from replay.local_state.code import write_names
from replay.local_state.doubt import Doubt
from replay.local_state.fixed import is_ours
from replay.local_state.memory import NOTHING_THERE, RawFrame, entry
from replay.local_state.writer import Writer


class Place:
    """What is known of code with its global variables, wherever it is suspended."""

    def __init__(self, writer: Writer, frame: FrameType) -> None:
        code, names = frame.f_code, frame.f_globals
        self.bytecode = Bytecode(code)
        self.number = writer.fixed.code_number(code)
        self.names = writer.fixed.namespace_number(names)
        self.reached = writer.names.of_code(code, names)
        self.is_ours = is_ours(code.co_filename)
        self.slots = len(self.bytecode.slots)
        self.size = self.slots + code.co_stacksize
        self.kept = (code, names)


class Suspended:
    """A frame that waits for the code that it called, or is that of a suspended generator."""

    __slots__ = ("_contents", "frame", "place", "point", "raw")

    def __init__(self, frame: FrameType, place: Place) -> None:
        self.frame = frame
        self.place = place
        self.point: Point = place.bytecode.point(frame.f_lasti)
        self.raw = RawFrame(frame)
        self._contents: Any = self.raw.contents(place.size)

    @property
    def called_directly(self) -> bool:
        """Whether no C code stands between this frame and the one that it called. Raises Doubt if that is not sure."""
        top = self.raw.stack_top
        if top not in (-1, self.place.slots + self.point.waiting):
            raise Doubt("a stack of unexpected depth")
        return top >= 0

    def operand(self, number: int) -> object:
        """An operand of the instruction, from the lowest; -1 is what waits just below. C code leaves them there."""
        return entry(self._contents, self.place.slots + self.point.waiting + number)

    def operands(self, count: int) -> list[object]:
        """The lowest `count` operands."""
        return [self.operand(number) for number in range(count)]

    def write(self, writer: Writer) -> None:
        """Code, place in it, the variables that live, and what waits on the stack."""
        place, point = self.place, self.point
        writer.tokens += (place.number, place.names, point.number)
        if place.names is None:
            write_names(writer, self.frame.f_globals)
        for slot in point.live:
            writer.write(entry(self._contents, slot))
        for number in range(place.slots, place.slots + point.waiting):
            writer.write(entry(self._contents, number))
        if not place.is_ours:
            writer.reach(place.reached)
            self._write_dying(writer)

    def _write_dying(self, writer: Writer) -> None:
        """Dead variables whose end may run code."""
        for slot in self.point.dead:
            held = entry(self._contents, slot)
            if _has_an_end(type(held)):
                writer.tokens.append("dying")
                writer.write(held)


_harmless: dict[type, bool] = {type(NOTHING_THERE): False}


def _has_an_end(kind: type) -> bool:
    """Whether code runs when an object of a class is given up."""
    known = _harmless.get(kind)
    if known is None:
        known = _harmless[kind] = issubclass(kind, GeneratorType) or hasattr(kind, "__del__")
    return known
