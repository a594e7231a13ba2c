"""Running one thread of a program: operations out, values in.

A `ThreadRun` is driven by one caller at a time: `start()` and `resume(value)`
return the next operation, or how the thread came to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import CodeType
from typing import Any

from replay.code.fences import NO_FENCES, Fences
from replay.code.global_lock import GlobalLock
from replay.code.interpreted import InterpretedCode
from replay.code.running_thread import Answered, HeapForThreads, RunningThread
from replay.code.terminals import Ended, Request
from replay.interpreter.copier import Uncopyable
from replay.interpreter.frame import Frame
from replay.interpreter.tracing import innermost_shown
from replay.world.operation import Operation

Position = tuple[Hashable, ...]
"""Where the code of a thread stands (`ThreadRun.position`)."""


class ThreadRun:
    """One run of one thread's code, as its driver holds it: suspended at its next operation.

    The thread's frames know nothing of this object, so a run that nobody needs
    any more is unwound and freed at once.
    """

    def __init__(
        self,
        name: str,
        code: Callable[[], object],
        performed: int = 0,
        spawner: ThreadRun | None = None,
        *,
        fences: Fences = NO_FENCES,
        checks_stores: bool = False,
        heap: HeapForThreads | None = None,
        global_lock: bool = False,
    ) -> None:
        """`spawner` is the run, suspended at its SPAWN operation, that starts this one."""
        self.name = name
        self.code = code
        self.spawner = spawner
        self.pending: Request = Ended()
        """What the thread asked for last."""
        self.thread = thread = RunningThread(name, code, performed, fences)
        """The thread as its own code meets it."""
        thread.checks_stores = checks_stores
        thread.heap = heap
        thread.global_lock = GlobalLock() if global_lock else None
        self.interpreted = InterpretedCode(thread)

    def copied(self, is_shared: Callable[[Any], bool]) -> ThreadRun | None:
        """A copy of a run that is suspended at an operation; None if it holds what cannot be copied."""
        if self.interpreted.execution.tracing is not None:
            return None  # a debugger knows frames by their identity
        try:
            code = self.interpreted.copied(is_shared)
        except (Uncopyable, RecursionError):
            return None
        copy = ThreadRun.__new__(ThreadRun)
        copy.__dict__.update(self.__dict__)
        copy.interpreted = code
        copy.thread = code.thread
        copy.code = code.thread.code
        copy.pending = self.pending if code.thread.asked is None else code.thread.asked
        return copy

    @property
    def wrote(self) -> object:
        """The result of the update that it performed last; UNWRITTEN if there is none."""
        return self.thread.wrote

    def innermost(self) -> Any:
        """The innermost active frame of user code, as a debugger sees it; None if none is active."""
        return innermost_shown(self.interpreted.execution)

    def holders(self) -> list[Frame]:
        """The active frames of user code, innermost first."""
        return [*self.interpreted.frames()]

    def active_code(self) -> list[CodeType]:
        return [frame.code for frame in self.interpreted.execution.frames]

    def looked_into(self) -> list[tuple[Any, str]]:
        """Objects of which the code has asked for what is no content of theirs, and what that is."""
        return [*self.interpreted.execution.looked_into.values()]

    def position(self) -> Position:
        """Returns the place where the thread's code stands, the same in every run of the program.

        For each frame of user code, innermost first, which code it is and the number of its instruction; and the line
        that asked, for the frame of a generator is not on the stack.
        """
        names = [
            (frame.code.co_filename, frame.code.co_qualname, frame.code.co_firstlineno, frame.position)
            for frame in self.interpreted.frames()
        ]
        return (*names, type(self.pending).__name__, getattr(self.pending, "source", None))

    def would_write(self, value: object) -> object:
        """Returns what the update that it asks for makes of a value; UNWRITTEN if it raises an exception."""
        assert isinstance(self.pending, Operation)
        update = self.pending.update
        assert update is not None
        return self.interpreted.would_write(update, value)

    def start(self) -> Request:
        """Run to the first operation."""
        self.pending = self.interpreted.go()
        return self.pending

    def repeat(self, steps: list[Answered]) -> int:
        """Run from the beginning through steps that an earlier run took, the first one last, to the next request.

        It stops at a request that differs; returns how many steps were left then, 0 if all were taken.
        """
        self.thread.known = steps
        self.start()
        return len(steps)

    def resume(self, value: object) -> Request:
        """Give the pending operation its result and run to the next one."""
        self.pending = self.interpreted.go(value)
        return self.pending
