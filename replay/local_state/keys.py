"""The key of a local state: equal for two suspended threads only if they have the same future.

"Same future" means: the same requests for the same results, and the same ends, whatever results come. Where that cannot
be made sure, there is no key, and the state must be taken for one of its own (merging is given up there, and nowhere
else). A key does not say how many operations a thread has executed.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Hashable
from types import FrameType, GeneratorType
from typing import Any

from replay.code.bytecode import Unkeyable
from replay.code.raw_memory import why_unreadable
from replay.code.terminals import Blocked, Ended, Failed, Terminal
from replay.code.thread_run import ThreadRun
from replay.frontend.declarations import Declarations
from replay.frontend.threads import FINAL
from replay.local_state import code, containers, program_things
from replay.local_state.calls import Called, held_by_c
from replay.local_state.frames import FrameWriter, handlers
from replay.local_state.reach import MISSING, Fixed, Reach
from replay.local_state.suspended import Known, Stop, Suspended
from replay.local_state.writer import Handler, Writer
from replay.world.operation import Operation


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
            raise Unkeyable("a generator that runs while an exception is handled")  # its caller may handle another one
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
                        raise Unkeyable("a generator that may be given up")
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
            raise Unkeyable("a generator that runs")
        else:
            writer.tokens += (GeneratorType, "suspended", value.__name__, value.__qualname__)
            held = gc.get_referents(value)
            if held and isinstance(held[-1], BaseException):  # the last thing that it refers to
                raise Unkeyable("a generator that handles an exception")
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


_HEAP = "replay.frontend.ordinary.heap"
"""The module without which nothing of an ordinary class is shared."""


class LocalStateKeys:
    """Makes the keys of one exploration: those of different explorations must not be compared.

    doubt  why the last thread had no key, in a few words; "" if it had one
    """

    def __init__(self, unused: Declarations) -> None:
        """`unused` is an instance of the program, none of whose code runs."""
        self.doubt = ""
        self._unused = unused
        self._reaches: dict[str, Reach] = {}
        self._fixed = Fixed()
        self._frames = Frames()
        self._interpreted = FrameWriter(self._fixed)
        self._handlers: dict[type, Handler] = {
            **containers.HANDLERS,
            **code.HANDLERS,
            **program_things.HANDLERS,
            GeneratorType: self._frames.write_generator,
            **handlers(self._interpreted),
        }
        if _HEAP in sys.modules:
            from replay.local_state import ordinary_things

            self._handlers.update(ordinary_things.HANDLERS)
        self._unreadable = why_unreadable()

    def key_of(self, run: ThreadRun) -> Hashable | None:
        """The key of a thread that is suspended at an operation, or came to its end; None if there is a doubt."""
        self.doubt = self._unreadable
        if self.doubt:
            return None
        reach = self._reach(run.name.partition(".")[0])
        if reach.doubt and isinstance(run.pending, Operation):
            self.doubt = reach.doubt
            return None
        writer = Writer(self._handlers, code.rule_for, self._fixed, reach)
        try:
            self._write(writer, run)
        except Unkeyable as doubt:
            self.doubt = str(doubt)
            return None
        except RecursionError:
            self.doubt = "objects that are nested too deeply"
            return None
        return tuple(writer.tokens)

    def _reach(self, declared: str) -> Reach:
        """What the thread of that name may come to, which the program declares, and those that it spawns."""
        if declared not in self._reaches:
            unused = self._unused
            code = unused.final_code if declared == FINAL else unused.threads[int(declared)]
            assert code is not None
            self._reaches[declared] = Reach(code, shares_objects=unused.heap is not None)
        return self._reaches[declared]

    def _write(self, writer: Writer, run: ThreadRun) -> None:
        pending = run.pending
        if not isinstance(pending, Operation):
            _write_end(writer, pending)
            return
        if run.sets_context:
            raise Unkeyable("context variables")
        program_things.write_thread(writer, run.thread)
        program_things.write_operation(writer, pending)
        if run.interpreted is not None:
            self._interpreted.write_execution(writer, run.interpreted.execution)
        else:
            self._frames.write_stack(writer, run.all_frames(), run.thread.handled)
        _write_places(writer)


def _write_end(writer: Writer, end: Terminal) -> None:
    writer.tokens.append(type(end))
    match end:
        case Ended():
            writer.write(end.value)
        case Blocked():
            writer.tokens += (end.reason, end.source)
        case Failed():
            writer.tokens += (end.error, end.message, end.stack)


def _write_places(writer: Writer) -> None:
    """What the code reaches by name and may have changed. What is written reaches more."""
    seen: set[int] = set()
    done = 0
    while done < len(writer.namespaces):
        for namespace in list(writer.namespaces.values())[done:]:
            for place in namespace.changed():
                if place.number not in seen:
                    seen.add(place.number)
                    writer.tokens += ("place", place.number)
                    writer.write(place.get(place.name, MISSING))
            done += 1
    for namespace in writer.namespaces.values():
        writer.compare(namespace)
