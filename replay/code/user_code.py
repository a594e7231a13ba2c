"""The gate between the checker and what users write that CPython runs: files that are imported, program functions.

Such code is stopped where it asks for what it may not: an exception is raised there, and from then on every line that
it executes raises, so that no `except` of user code holds that up. Threads run on frames of the interpreter
(`replay.code.interpreted`).

The rule for exceptions of any type, `SystemExit` included: what leaves user code is an event of that code, which its
owner explains (a failure of the thread, a program that cannot be set up). Exceptions are the errors that say the model
is broken, and Ctrl-C, which is known by the handler that heard it.
"""

from __future__ import annotations

import functools
import gc
import inspect
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import Context
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any, NoReturn

from replay.code.lines import (
    frames_from,
    innermost_line,
    is_set_up,
    is_user_code,
    line_outside_library,
    lines_of,
    source_at,
    user_stack,
)
from replay.code.printing import heard_once
from replay.code.watchdog import Interrupted, LocalLoopError, alarmed, all_watches, own_watch
from replay.errors import ModelError
from replay.interpreter.async_generators import AsyncGenerator
from replay.interpreter.exceptions import HostStop, Refused
from replay.interpreter.execution import Execution, running_execution
from replay.interpreter.generators import Coroutine, Generator
from replay.interpreter.intrinsics import shown_class
from replay.world.operation import Source
from replay.world.terms import Symbol


class Unwound(GeneratorExit):
    """Ends code of the user that is stopped.

    A generator that such code lets go of is closed, and of any exception that
    then leaves it but a `GeneratorExit`, Python tells the user. Python stops
    tracing where a trace function raises: code that goes on after all is
    traced again as soon as it has let go of the exception.
    """

    def __del__(self) -> None:
        code = own_watch().code
        if code is not None and code.stop is not None:
            code.force()


class OutsideError(ModelError):
    """Shared state is used where no thread of a model runs."""


class UserCode:
    """Some code of the user that CPython runs.

    stop      why it is being stopped by force, None if it is not
    declares  whether it is a program that declares for the first time, or False for another time; None if it is none
    """

    def __init__(self, code: Callable[[], object], explain: Callable[[BaseException], NoReturn]) -> None:
        """`explain` raises what an exception that left the code says of it."""
        self._code = code
        self._explain = explain
        self.stop: BaseException | None = None
        self.declares: bool | None = None

    def go(self) -> None:
        """Let the code run to its end. Raises what it was stopped for, or what is wrong with it.

        Meanwhile nothing is collected: what garbage of other runs does when it is freed, as a `finally` of a generator,
        would be done by this code.
        """
        watch = own_watch()
        traced, collects = sys.gettrace(), gc.isenabled()
        if collects:
            gc.disable()
        outer, around = watch.enter(), watch.code
        watch.code = self
        try:
            left = Context().run(next, _run_apart(self._code))
        finally:
            if sys.gettrace() is not traced:
                _set_trace(traced)
            watch.code = around
            watch.depth = outer
            if collects:
                gc.enable()
        if self.stop is not None:
            raise self.stop
        watch.raise_late()
        if left is not None:
            self._left(left)

    def give_up(self, message: str) -> None:
        """The line that is running is a mistake: stop there. Nothing if no line of the code is active."""
        line = line_outside_library()
        if line is not None:
            self.stop_by_force(ModelError(message, str(line)))

    def stop_by_force(self, error: BaseException) -> None:
        """From within the code: let it go no further, and whoever runs it have the error."""
        self.stop = error
        self.force()

    def force(self) -> None:
        """From within the code: let all that it executes from now on raise.

        An `except` protects what is in its `try`, but not itself: the exception gets outwards.
        """
        for frame in frames_from(sys._getframe(1)):
            if frame.f_code is UserCode.go.__code__:
                break
            if is_user_code(frame.f_code.co_filename):
                frame.f_trace, frame.f_trace_opcodes = _raise_at_step, True
        _set_trace(_raise_at_step)

    def _left(self, error: BaseException) -> NoReturn:
        """Raises what an exception that left the code says of it."""
        if isinstance(error, ModelError):
            raise error
        if isinstance(error, LocalLoopError):
            raise _broken(str(error), error)
        if isinstance(error, RecursionError):
            raise _broken("recursion without end: calls are nested deeper than Python allows", error)
        if isinstance(error, KeyboardInterrupt) and not tells_interrupts_apart():
            raise error
        self._explain(error)


def _run_apart(code: Callable[[], object]) -> Iterator[BaseException | None]:
    """Runs code when it is asked for the first value, which is the exception that left it.

    A generator has a handled exception of its own: where code is stopped by force, Python does not take back those that
    its `except` clauses handle, and they would be the context of all later ones.
    """
    try:
        code()
    except BaseException as error:
        yield error
    else:
        yield None


def _set_trace(trace: Any) -> None:
    """As `sys.settrace`, which CPython 3.11 and 3.12 refuse while another thread does it."""
    while True:
        try:
            sys.settrace(trace)
        except RuntimeError:
            time.sleep(0)
        else:
            return


def _raise_at_step(frame: FrameType, event: str, _argument: object) -> Any:
    """Traces code that is stopped by force; code of ours has to go on."""
    if event in _STEPS:
        raise Unwound
    frame.f_trace_opcodes = True
    return _raise_at_step if is_user_code(frame.f_code.co_filename) else None


_STEPS = ("line", "opcode")
"""Events of code that executes: a loop on one line is none of lines."""


def _telling_what_is_news(tell: Callable[[Any], object]) -> Callable[[Any], object]:
    """Tells of errors that end a `__del__`, or a generator that will not be closed, unless the checker made them."""

    def tell_news(args: Any) -> None:
        error = args.exc_value
        is_ours = isinstance(error, (Unwound, OutsideError, HostStop)) or _is_of_emptied(args.exc_traceback)
        if not is_ours and (type(error), str(error)) != (RuntimeError, "generator ignored GeneratorExit"):
            tell(args)

    return tell_news


EMPTIED = "\0emptied"
"""Is among the attributes of an object with a `__del__` whose contents are in memory."""


def _is_of_emptied(traceback: TracebackType | None) -> bool:
    """Returns whether an error left the `__del__` of an object that was emptied when it became shared."""
    if traceback is None or traceback.tb_frame.f_code.co_name != "__del__":
        return False
    variables = traceback.tb_frame.f_code.co_varnames
    thing = traceback.tb_frame.f_locals.get(variables[0]) if variables else None
    kind: Any = type(thing)
    return kind.__dictoffset__ != 0 and EMPTIED in object.__getattribute__(thing, "__dict__")


def _broken(message: str, error: BaseException) -> ModelError:
    stack = user_stack(error.__traceback__)
    return ModelError(message, str(stack[0]) if stack else "")


def stop_here(error: ModelError) -> NoReturn:
    """The model is broken at the line that is running: stop the code there. Outside of user code, raise the error."""
    execution = running_execution()
    if execution is not None:
        execution.stop = Refused(error)
        raise execution.stop
    running = own_watch().code
    if running is not None and running.stop is None:
        running.stop_by_force(error)
    raise error


def never_run(value: object) -> str:
    """Says what is wrong with a result that is code which will never run; "" if it is a plain value."""
    if value is None or type(value) in (bool, int, str, tuple) or isinstance(value, Symbol):
        return ""
    if inspect.iscoroutine(value) or isinstance(value, Coroutine):
        if not isinstance(value, Coroutine):
            value.close()  # else Python warns of it when it is freed
        return f"a coroutine that is never awaited: {_NOT_ASYNC}"
    if inspect.isasyncgen(value) or isinstance(value, AsyncGenerator):
        return f"an asynchronous generator that is never run: {_NOT_ASYNC}"
    if inspect.isawaitable(value):
        return f"a {type(value).__name__} that is never awaited: {_NOT_ASYNC}"
    if inspect.isgenerator(value) or type(value) is Generator:
        return "a generator that is never run: write `yield from` before the call, or an ordinary function"
    if isinstance(value, Iterator):
        return f"a {shown_class(value).__name__} iterator that is never run: write tuple(...) around it, or a loop"
    if isinstance(value, _CALLED):
        return f"a function object. If it should run, call it: `{getattr(value, '__name__', 'f')}()`"
    return ""


_NOT_ASYNC = "async functions cannot be threads, conditions or updates; write an ordinary function"
_CALLED = (FunctionType, MethodType, BuiltinFunctionType, functools.partial)


# -- interrupts ------------------------------------------------------------------


@contextmanager
def same_recursion_limit() -> Iterator[None]:
    """Around code of the user that may set the limit for itself: the checker keeps its own."""
    limit = sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@contextmanager
def exploring(where: str) -> Iterator[None]:
    """Around whatever runs user code for a purpose: no Ctrl-C gets lost in it, and no error that was found late.

    `where` is "file:line" of the program, for errors that know no better.
    """
    watch = own_watch()
    before = watch.explorations
    watch.explorations = before + 1
    if not before:
        watch.begin()
    try:
        _let_garbage_end_silently()
        with _interrupts_told_apart(), nullcontext() if before else _outermost():
            yield
        watch.raise_late()
    except LocalLoopError as error:  # it came when the code had just reached an operation after all
        raise ModelError(str(error), where) from None
    finally:
        watch.explorations = before


@contextmanager
def _outermost() -> Iterator[None]:
    """Around what no other exploration is around."""
    with heard_once(stop_here), alarmed():
        yield


@contextmanager
def _interrupts_told_apart() -> Iterator[None]:
    """Tell Ctrl-C, which `_hear` hears, from a KeyboardInterrupt that user code raises itself."""
    if not _in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _let_garbage_end_silently() -> None:
    """Do not tell of runs that nobody needs any more, which use shared state when they are freed."""
    if getattr(sys.unraisablehook, "__module__", "") != __name__:
        sys.unraisablehook = _telling_what_is_news(sys.unraisablehook)


def tells_interrupts_apart() -> bool:
    """Returns whether a KeyboardInterrupt that left user code is its own.

    Other threads than the main one hear no Ctrl-C, nor does a process that ignores it, such as one in the background.
    """
    return not _in_main_thread() or signal.getsignal(signal.SIGINT) in (_hear, signal.SIG_IGN, signal.SIG_DFL)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _hear(_signal: int, _frame: FrameType | None) -> None:
    if running_execution() is not None:
        raise Interrupted
    running = own_watch().code
    if running is not None:
        running.stop_by_force(KeyboardInterrupt())
    raise KeyboardInterrupt


# -- other threads of the operating system ---------------------------------------


def _outside(what: str, set_up: list[Source]) -> str:
    """Says what is wrong with code that uses shared state outside of threads; `set_up` as `_setting_up` returns it."""
    if not set_up:
        return f"{what} is used outside a run; only threads of a program may use it"
    if len(set_up) == 1:
        return f"{what} is used while the program is being set up; only threads may use it: move this into a function"
    name, line = set_up[-2].function.rpartition(".")[2], set_up[-1].line
    called = f"`{name}()` was called while the program was being set up, in line {line}"
    return f"{called}. Pass the function: `p.thread({name})`"


def _setting_up() -> list[Source]:
    """Returns the lines where CPython runs the function of a program, innermost first; empty where it runs none."""
    frames = list(frames_from(sys._getframe(1)))
    outside = next((place for place, frame in enumerate(frames) if is_set_up(frame)), 0)
    return [source_at(frame, frame.f_lineno) for frame in frames[:outside] if is_user_code(frame.f_code.co_filename)]


def refuse_while_set_up(what: str, execution: Execution) -> NoReturn:
    """Shared state is used by the function of a program, which this execution runs: raises ModelError."""
    lines = lines_of(execution)
    raise OutsideError(_outside(what, lines), str(lines[0]))


def refuse_outside(what: str) -> NoReturn:
    """Shared state is used by code that is no thread of a model: raises ModelError.

    A thread of the operating system that is none of those that explore was
    started by thread code. Its error is told by the explorations, whichever
    of them it belongs to; it itself ends silently.
    """
    line = str(innermost_line() or "")
    others = [watch for watch in all_watches() if watch.explorations]
    if not others or own_watch().explorations:
        raise OutsideError(_outside(what, _setting_up()), line)
    for watch in others:
        watch.late = ModelError(
            f"{what} used by a thread of Python, which no model sees; declare threads with p.thread() or p.spawn()",
            line,
        )
    raise SystemExit
