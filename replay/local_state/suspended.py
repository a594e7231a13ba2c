"""One suspended frame: what its code says of the place where it stands, what it holds there, what ends with that."""

from __future__ import annotations

import functools
import gc
import sys
from collections import OrderedDict, defaultdict, deque
from types import CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

from replay.code.bytecode import Point, Unkeyable, bytecode
from replay.code.lines import is_ours
from replay.code.raw_memory import NOTHING_THERE, Nothing, RawFrame
from replay.local_state.code import write_names
from replay.local_state.writer import Writer
from replay.world.anatomy import IMMUTABLE, all_is_seen, base_of, is_written_in_python

_NOTHING_INSIDE = frozenset({*IMMUTABLE, bool, NoneType, Nothing, bytearray, ModuleType}) - {tuple, frozenset}

_SHOWS_ALL = frozenset(
    {tuple, frozenset, list, dict, set, OrderedDict, defaultdict, deque, CellType, MethodType, functools.partial}
)
"""Types whose objects tell the garbage collector of all that they hold."""

_LIMIT = 1_000
"""Objects that are looked at."""

_CALLED_LIES_BELOW = sys.version_info >= (3, 13)
"""What is called lies on the stack below its first argument, or below nothing; that nothing was below it before."""


def may_end(value: object) -> bool:
    """Whether code may run when an object is given up, and with it what nobody else holds."""
    if type(value) in _NOTHING_INSIDE:
        return False
    seen = {id(value)}
    todo: list[Any] = [value]
    while todo:
        thing = todo.pop()
        inside = _inside(thing)
        if inside is None or len(seen) > _LIMIT:
            return True
        new = [each for each in inside if id(each) not in seen and type(each) not in _NOTHING_INSIDE]
        seen.update(map(id, new))
        todo += new
    return False


def _inside(thing: Any) -> list[Any] | None:
    """What an object holds that may be given up with it; None if it has an end of its own, or nobody knows."""
    kind = type(thing)
    if kind in _SHOWS_ALL:
        return gc.get_referents(thing)
    if kind is FunctionType:
        return [thing.__closure__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__]
    if isinstance(thing, type):
        return []  # a class is given up when Python looks for garbage
    if kind.__module__.startswith("replay."):
        return []
    base = base_of(kind)
    known = base in _SHOWS_ALL or base in IMMUTABLE
    if not known or not is_written_in_python(kind) or hasattr(kind, "__del__") or not all_is_seen(kind, base):
        return None
    return gc.get_referents(thing)


class Known:
    """Code with its global variables, wherever it is suspended."""

    def __init__(self, writer: Writer, code: CodeType, names: dict[str, Any]) -> None:
        self.is_ours = is_ours(code.co_filename)
        self.bytecode = bytecode(code, self.is_ours)
        self.names = names
        self.reached = writer.fixed.reached_by_code(code, names)
        self.slots = len(self.bytecode.slots)
        self.has_own_names = writer.fixed.namespace_number(names) is None
        self.stops: dict[int, Stop] = {}
        self._identity = (writer.fixed.code_number(code), writer.fixed.namespace_number(names))

    def stop(self, writer: Writer, offset: int) -> Stop:
        """The place where a frame stands that was suspended at an offset. Raises Unkeyable."""
        found = self.stops.get(offset)
        if found is None:
            point = self.bytecode.point(offset)
            found = self.stops[offset] = Stop(self, point, writer.fixed.pair_number((*self._identity, point.number)))
        return found


class Stop:
    """A place where code can be suspended, and its number. `is_plain`: nothing that a frame holds there matters."""

    __slots__ = ("dead", "is_plain", "known", "number", "point", "size", "used")

    def __init__(self, known: Known, point: Point, number: int) -> None:
        self.known = known
        self.point = point
        self.number = number
        self.used = (*point.live, *range(known.slots, known.slots + point.waiting))
        self.dead = () if known.is_ours else point.dead
        self.size = known.slots + known.bytecode.code.co_stacksize
        self.is_plain = known.is_ours and not self.used


class Suspended:
    """A frame that waits for the code that it called, or is that of a suspended generator."""

    __slots__ = ("frame", "raw", "stop")

    def __init__(self, frame: FrameType, stop: Stop) -> None:
        self.frame = frame
        self.stop = stop
        self.raw = RawFrame(frame, stop.size)

    def called_directly(self, called: FrameType) -> bool:
        """Whether no C code stands between this frame and one that it called. Raises Unkeyable if that is not sure."""
        if not self.raw.called(called):
            return False
        if self.raw.stack_top != self._operands:
            raise Unkeyable("a stack of unexpected depth")
        return True

    @property
    def _operands(self) -> int:
        """Where the operands of the instruction begin."""
        return self.stop.known.slots + self.stop.point.waiting

    def operand(self, number: int) -> object:
        """An operand of the instruction, from the lowest; -1 is what waits just below. C code leaves them there.

        Raises Unkeyable if it is known to be there no more, as while the constructor of a class runs.
        """
        index = self._operands + number
        if 0 <= self.raw.stack_top <= index:
            raise Unkeyable("operands that were taken")
        return self.raw.entry(index)

    def operands(self, count: int) -> list[object]:
        """The lowest `count` operands."""
        return [self.operand(number) for number in range(count)]

    def _held(self) -> list[object]:
        """The variables that live, and what waits on the stack.

        A bound method that waits to be called, and nothing above it, is its function and its object there: which of the
        two it is depends on how often the line has run, and the call does the same.
        """
        entry, stop = self.raw.entry, self.stop
        held = [entry(index) for index in stop.used]
        if MethodType in map(type, held):
            first = len(held) - stop.point.waiting
            for place in (first + each for each in stop.point.called):
                method, nothing = held[place : place + 2] if _CALLED_LIES_BELOW else held[place : place + 2][::-1]
                if type(method) is MethodType and nothing is NOTHING_THERE:
                    held[place : place + 2] = method.__func__, method.__self__
        return held

    def write(self, writer: Writer) -> None:
        """Code, place in it, the variables that live, and what waits on the stack."""
        stop, entry = self.stop, self.raw.entry
        writer.tokens.append(stop.number)
        for held in self._held():
            writer.write(held)
        for index in stop.dead if writer.reach_of_thread.ends else ():
            dying = entry(index)
            if may_end(dying):
                writer.tokens.append("dying")
                writer.write(dying)
        if not stop.known.is_ours:
            writer.reach(stop.known.reached)
            if stop.known.has_own_names:
                write_names(writer, stop.known.names)
