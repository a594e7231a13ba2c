"""The gate between the checker and what users write that CPython runs: files that are imported, program functions.

Such code runs in a greenlet, so that it may call helpers at any depth and still stop anywhere. Nothing is thrown
across: what comes back is its result, or `Stopped`. Where it asks for what it may not, it is left suspended, and where
it has to be stopped, or clings to life when it is unwound, every line that it executes raises: no `except` of user code
holds that up. Threads run on frames of the interpreter (`replay.code.interpreted`).

The rule for exceptions of any type, `SystemExit` and `GreenletExit` included:
what leaves user code is an event of that code, which its owner explains (a
failure of the thread, a program that cannot be set up). Exceptions are the
errors that say the model is broken, and Ctrl-C, which is known by the handler
that heard it.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import inspect
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
from typing import Any, NoReturn

import greenlet as greenlets
from greenlet import GreenletExit, getcurrent, greenlet

from replay.code.lines import (
    frames_from,
    innermost_line,
    is_set_up,
    is_user_code,
    lines_of,
    source_at,
    user_frames,
    user_stack,
)
from replay.code.printing import heard_once
from replay.code.watchdog import LocalLoopError, alarmed, all_watches, own_watch
from replay.errors import ModelError
from replay.interpreter.exceptions import HostStop, Refused
from replay.interpreter.execution import Execution, running_execution
from replay.interpreter.generators import AsyncGenerator, Coroutine, Generator
from replay.interpreter.intrinsics import shown_class
from replay.world.operation import Source
from replay.world.terms import Symbol


class Unwound(GreenletExit, GeneratorExit):
    """Ends code of the user that nobody needs any more.

    A generator that such code lets go of is closed, and of any exception that
    then leaves it but a `GeneratorExit`, Python tells the user.
    """


class OutsideError(ModelError):
    """Shared state is used where no thread of a model runs."""


class Stopped:
    """The answer for code that is not to go on: the error to raise."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class UserCode(greenlet):
    """Some code of the user, running or suspended.

    abandoned  whether it is being unwound since nobody needs it any more
    stop       why it is being stopped by force, None if it is not
    declares   whether it is a program that declares for the first time, or False for another time; None if it is none
    """

    def __init__(self, code: Callable[[], object], explain: Callable[[BaseException], object]) -> None:
        """`explain` makes of an exception that left the code what `go` returns."""
        super().__init__(_body(code, explain))
        self.watch = own_watch()
        self.abandoned = False
        self.stop: BaseException | None = None
        self.declares: bool | None = None
        self._forced = False

    def go(self) -> Any:
        """Let the code run to its end; returns its result. Raises what it was stopped for.

        Meanwhile nothing is collected: what garbage of other runs does when it is freed, as a `finally` of a generator,
        would be done by this code.
        """
        watch = self.watch
        self.parent = getcurrent()
        traced = sys.gettrace()
        collects = gc.isenabled()
        if collects:
            gc.disable()
        outer = watch.enter()
        try:
            answer = self.switch()
        finally:
            watch.depth = outer
            if collects:
                gc.enable()
            if sys.gettrace() is not traced:
                sys.settrace(traced)
        if self._forced and self.stop is not None:
            raise self.stop
        if watch.late is not None:
            watch.raise_late()
        if type(answer) is Stopped:
            raise answer.error
        return answer

    def give_up(self, message: str) -> None:
        """The line that is running is a mistake: stop there. Nothing if no line of the code is active."""
        line = innermost_line()
        if line is not None:
            self.stop_by_force(ModelError(message, str(line)))

    def stop_by_force(self, error: BaseException) -> None:
        """From within the code: let it go no further, and its driver have the error."""
        self.stop = error
        self.force()

    def force(self) -> None:
        """From within the code: let every line that it executes from now on raise.

        An `except` protects the lines of its `try`, but not its own: each
        exception gets further outwards, so there is a bounded number of them.
        """
        self._forced = True
        for frame in user_frames(sys._getframe(1)):
            frame.f_trace = raise_at_line
        sys.settrace(raise_at_line)

    def __del__(self) -> None:
        """Unwind the code, once the garbage collector has done its work if it is that which frees it."""
        if self and _collector.is_at_work:  # it has begun and not ended
            _collector.postponed.append(self)
        else:
            self.unwind()

    def unwind(self) -> None:
        """Unwind the code; if even that does not end it, leave it suspended for ever."""
        if self:
            self._unwind()
        if self:
            self.leave_suspended()

    def leave_suspended(
        self, keep: Callable[[Any], object] = ctypes.pythonapi.Py_IncRef, reference: type[Any] = ctypes.py_object
    ) -> None:
        """Let the code never be freed. The parameters are what it needs when Python has ended and no name is left."""
        keep(reference(self))

    def _unwind(self) -> None:
        self.abandoned = True
        outer, traced = self.watch.enter(), sys.gettrace()
        _let_garbage_end_silently()
        try:
            self.parent = getcurrent()
            self.throw(Unwound)
            if self._forced and self.stop is not None:
                raise self.stop
        except (KeyboardInterrupt, ModelError) as error:
            self.watch.late = error
        except (greenlets.error, ValueError, RuntimeError):
            return  # in another thread, or when Python ends, it can only be left
        finally:
            self.watch.depth = outer
            if sys.gettrace() is not traced:
                sys.settrace(traced)


class _Collector(threading.local):
    """Knows whether Python's garbage collector is at work in this thread of Python's.

    It keeps what it has found in lists that begin on the stack. To switch to a greenlet puts another stack in
    that place, and whatever is freed there, and was in one of the lists, would write into it.

    From 3.15 on it looks into suspended code, and ends what that holds before anybody can unwind the code: generators
    that are executing, which refuse, and those whose `finally` asks for operations. That is no news.

    postponed  code to be unwound when the collector has done its work
    """

    def __init__(self) -> None:
        self.postponed: list[UserCode] = []
        self.is_at_work = False
        self._told = self._tell = sys.unraisablehook

    def see(self, phase: str, _: object) -> None:
        """The collector begins, or has done its work."""
        self.is_at_work = phase == "start"
        if self.is_at_work:
            self._told = sys.unraisablehook
            self._tell = sys.unraisablehook = _telling_what_is_news(self._told)
        elif sys.unraisablehook is self._tell:
            sys.unraisablehook = self._told
        while self.postponed and not self.is_at_work:
            self.postponed.pop().unwind()


def _telling_what_is_news(tell: Callable[[Any], object]) -> Callable[[Any], object]:
    """Tells of errors that end a `__del__`, or a generator that will not be closed, unless the checker made them."""

    def tell_news(args: Any) -> None:
        error = args.exc_value
        if not isinstance(error, (Unwound, OutsideError, HostStop)) and (type(error), str(error)) not in _NO_NEWS:
            tell(args)

    return tell_news


_NO_NEWS = (
    (RuntimeError, "generator ignored GeneratorExit"),
    (RuntimeError, "greenlet is being finalized"),
    (ValueError, "generator already executing"),
)

_collector = _Collector()
gc.callbacks.append(_collector.see)


@atexit.register
def _leave_what_is_suspended() -> None:
    """Python ends: code that is still suspended stays so. The names of this module go before the collector does."""
    gc.callbacks.remove(_collector.see)
    UserCode.__del__ = UserCode.leave_suspended  # type: ignore[method-assign]


def raise_at_line(frame: FrameType, event: str, _argument: object) -> Any:
    """Traces code that is stopped by force; code of ours has to go on."""
    if event == "line":
        raise Unwound
    return raise_at_line if is_user_code(frame.f_code.co_filename) else None


def _body(code: Callable[[], object], explain: Callable[[BaseException], object]) -> Callable[..., object]:
    """Returns the function that the greenlet runs. It does not know the greenlet: that would be freed by the
    garbage collector only, which cannot look into suspended greenlets before CPython 3.13."""

    def run() -> object:
        try:
            return code()
        except BaseException as error:
            return _left(error, explain)

    return run


def _left(error: BaseException, explain: Callable[[BaseException], object]) -> object:
    """Returns what to tell of an exception that left the code."""
    running: Any = getcurrent()
    if running.abandoned or running.stop is not None:
        return None
    if isinstance(error, ModelError):
        return Stopped(error)
    if isinstance(error, LocalLoopError):
        return Stopped(_broken(str(error), error))
    if isinstance(error, RecursionError):
        return Stopped(_broken("recursion without end: calls are nested deeper than Python allows", error))
    if isinstance(error, KeyboardInterrupt) and not tells_interrupts_apart():
        return Stopped(error)
    try:
        return explain(error)
    except ModelError as broken:
        return Stopped(broken)


def _broken(message: str, error: BaseException) -> ModelError:
    stack = user_stack(error.__traceback__)
    return ModelError(message, str(stack[0]) if stack else "")


def stop_here(error: ModelError) -> NoReturn:
    """The model is broken at the line that is running: stop the code there. Outside of user code, raise the error."""
    execution = running_execution()
    if execution is not None:
        execution.stop = Refused(error)
        raise execution.stop
    running = getcurrent()
    if isinstance(running, UserCode) and not running.abandoned:
        parent = running.parent
        assert parent is not None
        del running  # the code is freed only if no frame of it knows it
        parent.switch(Stopped(error))
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


class Interrupted(HostStop, KeyboardInterrupt):
    """Ctrl-C while the interpreter runs: no code of the user can catch it."""


def _hear(_signal: int, _frame: FrameType | None) -> None:
    if running_execution() is not None:
        raise Interrupted
    running = getcurrent()
    if isinstance(running, UserCode):
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
