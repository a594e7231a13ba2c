"""Thread code on the interpreter's frames: it runs to its next request, and stands still there."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NoReturn

from replay.code.lines import OURS, innermost_of, is_assertion_of_unittest, is_of_library, line_outside_library_of
from replay.code.printing import Stream
from replay.code.running_thread import (
    CALLED_BACK,
    RunningThread,
    beyond_terms,
    caller,
    check_silence,
    current_run,
    end_silence,
    inside_run,
    line_of_request,
    perform,
    refuse,
)
from replay.code.terminals import Undecided
from replay.code.unknown import refusal
from replay.code.user_code import never_run, stop_here, tells_interrupts_apart
from replay.code.watchdog import LocalLoopError, look, own_watch
from replay.code.yielding import drive
from replay.errors import ModelError
from replay.interpreter.calls import intrinsic
from replay.interpreter.copier import Copier
from replay.interpreter.copying import copy_execution
from replay.interpreter.exceptions import HostStop, OutOfMemory, Refused, UnknownCallable
from replay.interpreter.execution import HIDDEN, STOP, SWITCH, Execution, compiled, resume_outer, running_execution
from replay.interpreter.frame import Frame
from replay.interpreter.generators import Generator
from replay.interpreter.lookup import identity
from replay.interpreter.natives import natively
from replay.interpreter.sizes import TooLarge
from replay.sentences import counted, did_you_mean, listed, nearest, there_are
from replay.world.operation import UNWRITTEN, Kind, Location, Operation, Source
from replay.world.shown import shown, shown_error
from replay.world.terms import Term
from replay.world.values import canonical_key, same

HIDDEN.extend(OURS)


class InterpretedCode:
    """The code of a thread, suspended or about to begin."""

    def __init__(self, thread: RunningThread) -> None:
        self.thread = thread
        self.execution = Execution()
        self.execution.owner = thread
        self.execution.objects = thread.heap  # type: ignore[assignment]
        if thread.heap is None:
            self.execution.on_overrun, self.execution.on_global = look, _check_global
        else:
            self.execution.on_overrun = thread.heap.overrun
        if thread.guard is not None:
            thread.guard.begin(self.execution)
        self._begun = self._drives = self._returned = False

    def go(self, *values: object) -> Any:
        """Let the code run until it asks for something, giving it what it asked for before, or to its end.

        Meanwhile nothing is collected: garbage of other runs must not do anything within this one. Raises ModelError
        if the code is broken.
        """
        return self._watched(partial(self._run, *values))

    def would_write(self, update: Callable[[Any], object], value: object) -> object:
        """Returns what an update makes of a value; UNWRITTEN if it raises an exception. The code stays where it is."""
        aside = InterpretedCode(self.thread)
        self.thread.is_updating = True
        try:
            return aside._watched(partial(aside._update, update, value))
        finally:
            self.thread.is_updating = False

    def _update(self, update: Callable[[Any], object], value: object) -> object:
        try:
            return self.execution.call(update, value)
        except HostStop:
            raise
        except BaseException:
            return UNWRITTEN

    def _watched(self, run: Callable[[], Any]) -> Any:
        """The result of some code. Raises ModelError if it is broken."""
        watch = own_watch()
        collects = gc.isenabled()
        if collects:
            gc.disable()
        outer, around = watch.enter(), running_execution()
        try:
            return self.execution.context.run(run)
        except UnknownCallable as unknown:
            raise refusal(unknown, self.execution) from None
        except TooLarge as large:
            raise ModelError(large.error.message, str(innermost_of(self.execution) or "")) from None
        except Refused as refused:
            end_silence()
            raise refused.error from None
        except OutOfMemory:
            raise MemoryError from None
        except LocalLoopError as loop:
            raise ModelError(str(loop), str(innermost_of(self.execution) or "")) from None
        finally:
            watch.depth = outer
            resume_outer(around)
            if collects:
                gc.enable()

    def _run(self, *values: object) -> Any:
        """Runs the code to its next request. Raises HostStop for what ends the code from outside."""
        execution = self.execution
        try:
            result = execution.run(self._go_on(*values))
            while not execution.frames:
                if type(result) is not Generator or self._drives:
                    if self.thread.heap is not None and not self._returned:
                        self._returned = True
                        execution.begin(self.thread.heap.returned, [result, self.thread._name], {})
                        result = execution.run()
                        continue
                    result = self._ended(result)
                    break
                self._drives = True
                execution.begin(drive, [result], {})
                result = execution.run()
        except HostStop:
            raise
        except BaseException as error:
            result = self._told(error)
        if execution.stop is not None:
            raise execution.stop
        return result

    def _ended(self, result: object) -> object:
        """The end of the thread, with what its code has returned."""
        ended = self.thread.ended(result)
        if self.execution.guard is not None:
            self.execution.guard.check_value(result)
        return ended

    def _told(self, error: BaseException) -> object:
        """Returns what to tell of an exception that left the code, or what the code asks for to know what it holds."""
        guard, execution = self.execution.guard, self.execution
        raise_again = None if guard is None else guard.told(error)
        if raise_again is None:
            return self._left(error)
        execution.begin(raise_again, [error], {})
        try:
            return execution.run()
        except HostStop:
            raise
        except BaseException as known:
            return self._left(known)

    def copied(self, is_shared: Callable[[Any], bool]) -> InterpretedCode:
        """A copy of code that is suspended at an operation. Raises Uncopyable."""
        objects = self.execution.objects
        if objects is None:  # an `object()` holds nothing, and a constant of its module is the same in each copy
            copier = Copier(lambda value: type(value) is object or is_shared(value))
        else:
            copier = objects.copier()
        thread, execution = self.thread.copied(copier), copy_execution(copier, self.execution)
        copy = InterpretedCode.__new__(InterpretedCode)
        copy.thread, copy.execution = thread, execution
        copy.execution.owner = copy.thread
        copy._begun, copy._drives, copy._returned = True, self._drives, self._returned
        return copy

    def _go_on(self, *values: object) -> BaseException | None:
        """Hand the code what it has asked for. Returns the exception to raise in it; None if there is none."""
        execution, thread = self.execution, self.thread
        if not self._begun:
            self._begun = True
            code: Any = thread.code
            if type(code) is partial:
                execution.begin(code, [], {})
            else:
                execution.begin(getattr(code, "function", code), list(getattr(code, "args", ())), {})
        elif thread.undecided is not None:
            _know(execution, thread, thread.undecided, values[0])
        elif thread.asked is None:
            execution.frames[-1].stack.append(values[0])
        else:
            try:
                _finish(execution, thread, thread.asked, values[0])
            except HostStop:
                raise
            except BaseException as error:  # of an update, which the code may catch
                return error
        return None

    def _left(self, error: BaseException) -> object:
        """Returns what to tell of an exception that left the code. Raises what is none of the code's own."""
        stack = self.stack(error)
        if isinstance(error, ModelError):
            raise error
        if isinstance(error, RecursionError):
            message = "recursion without end: calls are nested deeper than Python allows"
            raise ModelError(message, str(stack[0]) if stack else "")
        if isinstance(error, KeyboardInterrupt) and not tells_interrupts_apart():
            raise error
        return self.thread.failed(error, stack, self.execution.known_names, self.execution.kinds)

    def stack(self, error: BaseException) -> tuple[Source, ...]:
        """The lines of user code through which an exception went, innermost first; without unittest's assertions."""
        lines = [*reversed(self.execution.passed(error))]
        told = [line for line in lines if not is_assertion_of_unittest(line[0])] or lines
        return tuple(Source(file, line, name) for file, name, line in told)

    def __del__(self) -> None:
        """Free what the code holds: frames and their execution refer to each other."""
        for frame in self.execution.frames:
            frame.generator = None
        self.execution.frames.clear()

    def frames(self) -> Iterator[Frame]:
        """The active frames of user code, innermost first."""
        return (frame for frame in reversed(self.execution.frames) if not frame.decoded.hidden)


def _check_global(frame: Frame, name: str) -> None:
    """Refuse a change of a global variable by code of Python's library: code of users is watched for it."""
    if is_of_library(frame.code):
        message = (
            f"thread code changes {frame.globals.get('__name__')}.{name}, which outlives a run of the program, so "
            "every later run finds it changed; call what changes it in the program function"
        )
        stop_here(ModelError(message, str(line_outside_library_of(frame.execution) or "")))


@intrinsic(RunningThread._ask)
def _ask(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int:
    """Stop, and hand the request to the driver; its answer is the result of the call."""
    if frame.execution.depth > 1:
        refuse(CALLED_BACK)
    thread, request = arguments
    thread.asked = None
    frame.execution.result = request
    return STOP


@intrinsic(RunningThread.perform)
def _perform(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    """Stop at an operation, unless the thread repeats what it did."""
    thread, operation = arguments
    if not thread.is_plain:
        frame.execution.push(RunningThread.perform, arguments, {})
        return SWITCH
    return stop_at(frame.execution, thread, operation)


def perform_at(frame: Frame, operation: Operation) -> int | None:
    """The running thread performs an operation, whose result the innermost frame gets. Refuses it outside of a run."""
    return _perform(frame, [current_run(), operation], {})


def stop_at(execution: Execution, thread: RunningThread, operation: Operation) -> int | None:
    """The thread asks for an operation: it stops, or goes on at once if it repeats what it did."""
    if execution.depth > 1:
        refuse(CALLED_BACK)
    if execution.guard is not None:
        execution.guard.check_value(operation.value)
    if thread.prepare(operation):
        return _finish(execution, thread, operation, thread.repeated)
    thread.asked = operation
    execution.result = operation
    return STOP


@intrinsic(RunningThread.decide)
def _decide(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    """Push what a term is, or stop until the driver says so."""
    thread, term = arguments
    if term in thread.decisions:
        frame.stack.append(thread.decisions[term])
        return None
    return ask_for(frame.execution, term)


def ask_for(execution: Execution, term: Term, *, retries: bool = False) -> int:
    """The thread stops until it knows what a term is, which is pushed then unless the instruction runs again."""
    if execution.depth > 1:
        beyond_terms("native code that has called this line back", term)
    thread: RunningThread = execution.owner
    if retries:
        execution.frames[-1].position -= 1
    thread.asked = None
    thread.undecided, thread.retries = term, retries
    execution.result = Undecided(term, caller())
    return STOP


def _know(execution: Execution, thread: RunningThread, term: Term, value: object) -> None:
    thread.undecided = None
    thread.decisions[term] = value
    if not thread.retries:
        execution.frames[-1].stack.append(value)


def _finish(execution: Execution, thread: RunningThread, operation: Operation, answer: object) -> int | None:
    """Give the innermost frame the result of an operation, or have the code of an update run first."""
    value = thread.given(operation, answer)
    update: Any = operation.update
    if execution.guard is not None:
        guard = thread.guard
        assert guard is not None
        if update or operation.ready or operation.result or guard.tells(value):
            execution.push(_finished_on_terms, [thread, guard, operation, value], {})
            return SWITCH
    if update is not None:
        if not _updates_natively(update, value):
            execution.push(_updated, [thread, operation, value], {})
            return SWITCH
        thread._update(update, value)
    execution.frames[-1].stack.append(value if operation.result is None else operation.result(value))
    return None


calls_code: dict[int, Callable[[Any, Any], bool]] = {}
"""By the identity of a method that updates: whether it calls code of users, asked with its object and the value."""


def _updates_natively(update: Any, value: object) -> bool:
    """Returns True for an update of this package that asks for nothing, and calls no code of users for this value."""
    if type(update) is not MethodType:
        return is_ours(update)
    asked = calls_code.get(identity(update.__func__))
    return asked is not None and not asked(update.__self__, value)


def is_ours(function: Any) -> bool:
    """Returns True for a function of this package: it asks for nothing."""
    function = function.func if type(function) is partial else function
    return type(function) is FunctionType and compiled(function.__code__).hidden


def _finished_on_terms(thread: Any, guard: Any, operation: Any, value: Any) -> Any:
    """Interpreted: the result of an operation where code runs on terms."""
    result = thread._finish(operation, guard.passed(value))
    guard.check_value(thread.wrote)
    return result


def _updated(thread: Any, operation: Any, value: Any) -> Any:
    """Interpreted: the result of an operation after its update was computed."""
    thread._update(operation.update, value)
    return value if operation.result is None else operation.result(value)


def made_operation(kind: Kind, location: Location | None = None, **rest: Any) -> Operation:
    """The operation that the innermost line of user code asks for."""
    check_silence()
    return Operation(kind, location, source=line_of_request(), **rest)


@intrinsic(perform)
def _perform_by_kind(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """As `_perform`, for an operation that is still to be made."""
    kind, *location = arguments
    return perform_at(frame, made_operation(kind, location[0] if location else None, **keywords))


@intrinsic(stop_here)
def _stop_here(_: Frame, arguments: list[Any], __: dict[str, Any]) -> NoReturn:
    raise Refused(arguments[0])


def register(*functions: Callable[..., object]) -> None:
    """Let functions of this package run natively: they ask for nothing, and call nothing of the user's."""
    for function in functions:
        natively(function)


def performs(method: Any, build: Callable[..., Operation]) -> None:
    """Let a method of a cell be the operation that `build` makes, without a frame of its own."""

    @intrinsic(method)
    def perform_built(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        thread = current_run()
        if not thread.is_plain:
            frame.execution.push(method, arguments, keywords)
            return SWITCH
        operation: Operation | None = None
        with suppress(TypeError):
            operation = build(arguments[0].op, *arguments[1:], **keywords)
        if operation is None:  # for CPython's message
            frame.execution.push(method, arguments, keywords)
            return SWITCH
        return stop_at(frame.execution, thread, operation)


register(caller, current_run, inside_run, line_of_request, never_run, RunningThread.next_number)
register(Operation, Location, shown, shown_error, canonical_key, same)
register(did_you_mean, nearest, there_are, listed, counted)
register(Stream.write, Stream.writelines)
