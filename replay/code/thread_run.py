"""Running one thread of a program: operations out, values in.

User code runs in a greenlet, so that it may call helpers at any depth and
still stop at every shared access. A `ThreadRun` is driven by one caller at a
time: `start()` and `resume(value)` return the next operation, or how the
thread came to its end.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

from greenlet import GreenletExit, greenlet

from replay.code.watchdog import WATCHDOG, LocalLoopError
from replay.errors import ModelError
from replay.world.operation import Kind, Operation, Source
from replay.world.shown import shown, shown_error
from replay.world.values import canonical_key

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True)
class Ended:
    """The thread returned `value`."""

    value: object = None


@dataclass(frozen=True)
class Blocked:
    """The thread stopped for good at a failed assumption or an unfulfilled wait.

    `wait_from` is how many operations had been executed when the wait began;
    -1 for an assumption.
    """

    reason: str
    wait_from: int = -1
    source: Source | None = None


@dataclass(frozen=True)
class Failed:
    """An exception left the thread: a bug of the checked program.

    `stack` lists the lines of user code that were active, innermost first.
    """

    error: str
    message: str
    stack: tuple[Source, ...] = ()

    @property
    def source(self) -> Source | None:
        return self.stack[0] if self.stack else None

    def __str__(self) -> str:
        return f"{self.error}: {self.message}" if self.message else self.error


@dataclass(frozen=True)
class Cut:
    """The thread was stopped: the exploration is not complete.

    limit   the operations that it may have
    source  the line to which it came
    spins   whether it was stopped before, in a loop that would have gone on to the limit (`replay.machine.spinning`)
    """

    limit: int
    source: Source | None = None
    spins: bool = False


Terminal = Ended | Blocked | Failed | Cut
Request = Operation | Terminal

_current: RunningThread | None = None


def current_run() -> RunningThread:
    """The thread whose code is running now; raises ModelError outside of a run."""
    if getattr(greenlet.getcurrent(), "abandoned", False):
        raise GreenletExit  # `with` and `finally` of user code, after the run was given up
    if _current is None:
        raise ModelError("shared state used outside a run (only thread code may access it)", str(caller() or ""))
    return _current


def inside_run() -> bool:
    return _current is not None


@functools.cache
def _is_user_code(filename: str) -> bool:
    return not filename.startswith((_PACKAGE, "<frozen"))


def _as_source(frame: FrameType, line: int) -> Source:
    return Source(frame.f_code.co_filename, line, frame.f_code.co_qualname)


def caller() -> Source | None:
    """The innermost line of user code on the stack; where a thread runs none, the line that declared it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_user_code(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return _current.declared if _current else None
    return _as_source(frame, frame.f_lineno)


def line_of_request() -> Source | None:
    """The line of user code that asks for an operation; None where a thread repeats what it did, and nobody looks."""
    return None if _current is not None and _current.known else caller()


def user_stack(traceback: TracebackType | None) -> tuple[Source, ...]:
    """The lines of user code in a traceback, innermost first."""
    lines = []
    while traceback is not None:
        if _is_user_code(traceback.tb_frame.f_code.co_filename):
            lines.append(_as_source(traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return tuple(reversed(lines))


Step = tuple[Operation, object]
"""What a thread asked for, and the result that it got."""


class RunningThread:
    """A thread as its own code meets it.

    `name` identifies the thread; children and records are numbered per run,
    so that the same history always gives the same names. `performed` counts
    its operations; a thread that something else had to start begins at 1.
    `known` is what it did in an earlier run and is to do again, the next step
    last: such steps need nobody's decision, so it does not stop at them.
    `handled` is the exception that was being handled where it is suspended.
    """

    def __init__(self, name: str, code: Callable[[], object], performed: int) -> None:
        self.name = name
        self.performed = performed
        self.wait_from = -1
        self.held: list[str] = []
        self.declared: Source | None = getattr(code, "source", None)
        self.code = code
        self.known: list[Step] = []
        self.handled: BaseException | None = None
        self.counts: dict[str, int] = {}

    def next_number(self, what: str) -> int:
        """0, 1, 2, ... for each kind of thing that this thread creates."""
        number = self.counts.get(what, 0)
        self.counts[what] = number + 1
        return number

    def perform(self, operation: Operation) -> Any:
        """Suspend the thread at `operation`; returns the operation's result."""
        if self.wait_from >= 0:
            if operation.kind is not Kind.LOAD:
                wrong = f"wait_until may only load, but its condition asked for: {operation.describe()}"
                raise ModelError(wrong, str(caller() or ""))
            operation.wait_from = self.wait_from
        value = self._suspend(operation)
        self.performed += 1
        return value

    def block(self, reason: str) -> None:
        """Stop here for good. Not an exception: `with` and `finally` of user code must not run."""
        self._suspend(Blocked(reason, self.wait_from, caller()))

    def _suspend(self, request: Request) -> object:
        """Stop until the driver gives the request its result; returns that."""
        if self.known:
            operation, result = self.known[-1]
            if isinstance(request, Operation):
                if operation.same_request(request):
                    self.known.pop()
                    WATCHDOG.advance()
                    return result
                request.source = caller()
        parent = greenlet.getcurrent().parent
        assert parent is not None
        self.handled = sys.exception()
        try:
            return parent.switch(request)
        except GreenletExit:
            greenlet.getcurrent().abandoned = True  # type: ignore[attr-defined]
            raise

    def main(self) -> Terminal:
        """What the greenlet runs."""
        try:
            result = self.code()
            if inspect.isgenerator(result):
                result = self._drive(result)
            self._check_result(result)
            return Ended(result)
        except (GreenletExit, ModelError):
            raise
        except RecursionError as error:
            raise _broken("recursion without end in thread code", error) from None
        except LocalLoopError as error:
            raise _broken(str(error), error) from None
        except (Exception, SystemExit) as error:
            return self._failed(error)

    def _failed(self, error: BaseException) -> Failed:
        """An exception left the code; if it never began, because of the arguments, the model is broken."""
        stack = user_stack(error.__traceback__)
        if not stack and isinstance(error, TypeError):
            raise ModelError(
                f"thread {self.name} cannot be started: {shown_error(error)}", str(self.declared or "")
            ) from None
        return Failed(type(error).__name__, shown_error(error), stack or ((self.declared,) if self.declared else ()))

    def _check_result(self, result: object) -> None:
        """Refuse what a join could not return."""
        try:
            if inspect.iscoroutine(result):
                result.close()
                raise ModelError("async functions cannot be threads; write an ordinary function")
            canonical_key(result)
        except ModelError as error:
            raise ModelError(f"thread {self.name} returned: {error.message}", str(self.declared or "")) from None

    def _drive(self, generator: Any) -> object:
        """Thread code written as a generator that yields operations."""
        value: object = None
        while True:
            try:
                operation = generator.send(value)
            except StopIteration as stop:
                return stop.value
            if not isinstance(operation, Operation):
                where = f"{generator.gi_code.co_filename}:{generator.gi_frame.f_lineno}"
                raise ModelError(f"a generator thread must yield operations, not {shown(operation)}", where)
            value = self.perform(operation)


class ThreadRun:
    """One run of one thread's code, as its driver holds it: suspended at its next operation.

    The thread's frames know nothing of this object, so a run that nobody needs
    any more is unwound and freed at once; the garbage collector cannot look
    into suspended greenlets.
    """

    def __init__(
        self, name: str, code: Callable[[], object], performed: int = 0, spawner: ThreadRun | None = None
    ) -> None:
        """`spawner` is the run, suspended at its SPAWN operation, that starts this one."""
        self.name = name
        self.code = code
        self.spawner = spawner
        self.pending: Request = Ended()
        """What the thread asked for last."""
        self.thread = RunningThread(name, code, performed)
        """The thread as its own code meets it."""
        self._greenlet = greenlet(self.thread.main)

    @property
    def declared(self) -> Source | None:
        """The line that declared the thread."""
        return self.thread.declared

    def frames(self) -> list[FrameType]:
        """The active frames of user code, innermost first; none where a generator yields the operations."""
        return [frame for frame in self.all_frames() if _is_user_code(frame.f_code.co_filename)]

    def all_frames(self) -> list[FrameType]:
        """All active frames, innermost first: from the one that suspended the thread to that of its `main`."""
        found: list[FrameType] = []
        frame: FrameType | None = self._greenlet.gr_frame
        while frame is not None:
            found.append(frame)
            frame = frame.f_back
        return found

    def start(self) -> Request:
        """Run to the first operation."""
        return self._switch()

    def repeat(self, steps: list[Step]) -> int:
        """Run from the beginning through steps that an earlier run took, the first one last, to the next request.

        It stops at a request that differs; returns how many steps were left then, 0 if all were taken.
        """
        self.thread.known = steps
        self._switch()
        return len(steps)

    def resume(self, value: object) -> Request:
        """Give the pending operation its result and run to the next one."""
        return self._switch(value)

    def _switch(self, *values: object) -> Request:
        global _current
        outer, _current = _current, self.thread
        self._greenlet.parent = greenlet.getcurrent()
        WATCHDOG.enter()
        try:
            request: Request = self._greenlet.switch(*values)
        finally:
            WATCHDOG.leave()
            _current = outer
        self.pending = request
        return request


def _broken(message: str, error: BaseException) -> ModelError:
    stack = user_stack(error.__traceback__)
    return ModelError(message, str(stack[0]) if stack else "")
