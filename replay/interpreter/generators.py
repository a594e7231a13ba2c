"""Generators and coroutines: objects of ours, whose frames are data.

Their methods are plain Python code that the interpreter runs; it uses the intrinsics `resume` and `resume_raising`. A
resumed generator leaves with its caller what it yields, or `Returned` when it returns.
"""

from __future__ import annotations

import types
from typing import Any, NoReturn

from replay.interpreter.exceptions import Raised, set_context
from replay.interpreter.execution import Execution, raise_again, running, runs
from replay.interpreter.frame import MISSING, Frame, Handled, Returned
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively
from replay.interpreter.versions import CHANGES_BEFORE_BEGIN, CLOSES_BY_THROWING, RESULTS_HAVE_CONTEXT

_IS_ITERABLE_COROUTINE = 0x100


class Generator:
    """A generator. `frame` is where it stands; `state` is "new", "waiting", "running" or "over".

    A subclass has "shared" ones, whose frames are elsewhere: `resumed` goes on with them.
    """

    kind = "generator"
    native: type = types.GeneratorType

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.state = "new"
        self.__name__ = frame.function.__name__
        self.__qualname__ = frame.function.__qualname__
        frame.handled = Handled()

    resumed: Any = None

    def failed(self, error: BaseException) -> BaseException:
        """An exception leaves the generator, which is over then; returns the exception that its caller gets."""
        self.leaves("over")
        return self.changed(error)

    def leaves(self, state: str) -> None:
        """Its frame is no longer active. The frame must not refer to it then: its end is that of the last reference."""
        self.state = state
        self.frame.handled.below = None
        self.frame.generator = None

    def changed(self, error: BaseException) -> BaseException:
        """The exception itself; RuntimeError for one that would be taken for the end of the generator."""
        ends = is_a(error, StopIteration) or (self.kind == "async generator" and is_a(error, StopAsyncIteration))
        if not ends:
            return error
        changed = RuntimeError(f"{self.kind} raised {_end_shown(error)}")
        changed.__cause__ = changed.__context__ = error
        return changed

    def __iter__(self) -> Generator:
        return self

    def __next__(self) -> Any:
        return delivered(resume(self, None))

    def send(self, value: Any) -> Any:
        return delivered(resume(self, value))

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        return delivered(throw_into(self, exception_of(kind, value)))

    def close(self) -> Any:
        return closed(self)

    def __del__(self) -> None:
        if self.state == "waiting" and runs(self.frame.execution):
            if self.frame.execution.owner is None:
                closed_natively(self)
            else:  # what it does at its end may ask for something
                self.frame.execution.dropped.append(self)

    @property
    def gi_code(self) -> types.CodeType:
        return self.frame.code

    @property
    def gi_frame(self) -> Any:
        return frame_of(self)

    @property
    def gi_running(self) -> bool:
        return self.state == "running"

    @property
    def gi_yieldfrom(self) -> Any:
        waits_for = delegate(self)
        return None if waits_for is MISSING else waits_for

    def __repr__(self) -> str:
        return f"<{self.kind} object {self.__qualname__} at {id(self):#x}>"


class Coroutine(Generator):
    """A coroutine."""

    kind = "coroutine"
    native = types.CoroutineType
    __iter__ = None  # type: ignore[assignment]

    def __await__(self) -> Generator:
        return self


def _end_shown(error: BaseException) -> str:
    return "StopIteration" if is_a(error, StopIteration) else "StopAsyncIteration"


def is_iterable_coroutine(generator: Generator) -> bool:
    """Returns True for a generator that `types.coroutine` lets be awaited."""
    return bool(generator.frame.code.co_flags & _IS_ITERABLE_COROUTINE)


# -- interpreted: what methods do ---------------------------------------------------------


def delivered(result: Any) -> Any:
    """Returns what was yielded. Raises StopIteration if the generator returned."""
    if type(result) is Returned:
        if result.value is None:
            raise StopIteration
        raise_result(result.value)
    return result


def raise_result(value: Any) -> NoReturn:
    """Raise the StopIteration that carries a result."""
    if RESULTS_HAVE_CONTEXT:
        raise StopIteration(value)
    raise_again(StopIteration(value))


def exception_of(kind: Any, value: Any) -> BaseException:
    """The exception that `throw` is given, made if it is given a class."""
    if is_a(kind, type) and issubclass(kind, BaseException):
        if value is None:
            return kind()  # type: ignore[no-any-return]
        if is_a(value, BaseException):
            return value  # type: ignore[no-any-return]
        return kind(*value) if type(value) is tuple else kind(value)  # type: ignore[no-any-return]
    if not is_a(kind, BaseException):
        raise TypeError(
            f"exceptions must be classes or instances deriving from BaseException, not {type(kind).__name__}"
        )
    if value is not None:
        raise TypeError("instance exception may not have a separate value")
    return kind  # type: ignore[no-any-return]


def throw_into(generator: Generator, error: BaseException) -> Any:
    """Raise an exception in a generator, or in what it waits for; returns what is yielded, or `Returned`."""
    part = delegate(generator)
    if part is MISSING:
        return resume_raising(generator, error)
    if is_a(error, GeneratorExit):
        return resume_calling(generator, close_part, part, error)
    if is_a(part, Generator):
        return resume_calling(generator, throw_into, part, error)
    throw = getattr(part, "throw", None)
    if throw is None:
        return resume_raising(generator, error)
    return resume_calling(generator, called_or_returned, throw, error)


def called_or_returned(function: Any, argument: Any) -> Any:
    """The result of a function, such as the `__next__` of an iterator; `Returned` if it raises StopIteration."""
    try:
        return function(argument)
    except StopIteration as stop:
        return Returned(stop.value)


def close_part(part: Any, error: BaseException) -> Any:
    """Close what a generator waits for, then end the generator."""
    if is_a(part, Generator):
        closed(part)
    else:
        close = getattr(part, "close", None)
        if close is not None:
            close()
    raise_again(error)


def closed(generator: Generator) -> Any:
    """Close a generator; returns the value of its `return` from 3.13 on."""
    if ends_unbegun(generator):
        return None
    try:
        result = throw_into(generator, GeneratorExit())
    except (GeneratorExit, StopIteration):
        return None
    if type(result) is Returned:
        return result.value if CLOSES_BY_THROWING else None
    raise RuntimeError(f"{generator.kind} ignored GeneratorExit")


def frame_of(generator: Generator) -> Any:
    """The frame of a generator as `gi_frame` shows it; None if it is over."""
    raise NotImplementedError("an intrinsic")


# -- natively: intrinsics, called by the code above -------------------------------------------


@natively
def delegate(generator: Generator) -> Any:
    """Returns what a generator waits for in `yield from` or `await`; MISSING if in neither."""
    if generator.state != "waiting":
        return MISSING
    frame = generator.frame
    return frame.stack[-1] if frame.decoded.steps[frame.position - 1] == ("YIELD_VALUE", True) else MISSING


@natively
def ends_unbegun(generator: Generator) -> bool:
    """End a generator that has not begun; returns True if it is over without running any code."""
    if generator.state == "new":
        generator.state = "over"
    return generator.state == "over"


natively(raise_again)


def close_dropped(generator: Generator) -> None:
    """Interpreted: close a generator that nothing refers to any more; what it raises is lost."""
    try:
        closed(generator)
    except BaseException:
        leave_silently()
    leave_silently()


def leave_silently() -> None:
    """End the frame that calls this, without a result. An intrinsic."""
    raise NotImplementedError("an intrinsic")


def closed_natively(generator: Generator) -> None:
    """Close a generator that nothing refers to any more; what it raises is lost."""
    try:
        running().call(closed, generator)
    except Exception:
        return


def resume(generator: Generator, value: Any) -> Any:
    """Run a generator to its next `yield` or its end. Natively called: the whole way at once."""
    return running().call(resume, generator, value)


def resume_raising(generator: Generator, error: BaseException) -> Any:
    """As `resume`, raising an exception where the generator waits."""
    raise NotImplementedError("an intrinsic")


def resume_calling(generator: Generator, function: Any, *arguments: Any) -> Any:
    """As `resume`, with a call in the place of the `send` to what the generator waits for."""
    raise NotImplementedError("an intrinsic")


def put_on_top(execution: Execution, generator: Generator) -> Frame:
    """Make the frame of a generator the innermost one. Raises ValueError if it is running."""
    if generator.state == "running":
        raise ValueError(f"{generator.kind} already executing")
    frame = generator.frame
    frame.execution = execution
    frame.handled.below = execution.frames[-1].handled
    generator.state = "running"
    frame.generator = generator
    execution.frames.append(frame)
    execution.begun += not frame.decoded.hidden
    return frame


def begin_resume(execution: Execution, caller: Frame, generator: Generator, value: Any) -> int | None:
    """The intrinsic `resume`: the generator's frame is on top, or the caller has `Returned`."""
    if generator.state == "shared":
        execution.push(type(generator).resumed, [generator, resume, value], {})
        return 1
    if generator.state == "over":
        if generator.kind == "coroutine":
            raise RuntimeError("cannot reuse already awaited coroutine")
        caller.stack.append(Returned(None))
        return None
    if generator.state == "new" and value is not None:
        raise TypeError(f"can't send non-None value to a just-started {generator.kind}")
    put_on_top(execution, generator).stack.append(value)
    return 1


def begin_resume_raising(execution: Execution, caller: Frame, generator: Generator, error: BaseException) -> int | None:
    """The intrinsic `resume_raising`."""
    if generator.state == "shared":
        execution.push(type(generator).resumed, [generator, throw_into, error], {})
        return 1
    if generator.state == "over":
        if generator.kind == "coroutine":
            raise RuntimeError("cannot reuse already awaited coroutine")
        raise Raised(error)
    if generator.state == "new":
        generator.state = "over"
        code = generator.frame.code
        execution.add_line(error, (code.co_filename, code.co_qualname, code.co_firstlineno))
        raise Raised(generator.changed(error) if CHANGES_BEFORE_BEGIN else error)
    frame = put_on_top(execution, generator)
    frame.stack.append(None)  # in the place of what is sent, which CLEANUP_THROW takes away
    if frame.handled.error is not None:
        set_context(error, frame.handled.error)
    raise Raised(error)


def begin_resume_calling(
    execution: Execution, caller: Frame, generator: Generator, function: Any, *arguments: Any
) -> int | None:
    """The intrinsic `resume_calling`: the result is what SEND has, and the generator goes on after that."""
    frame = put_on_top(execution, generator)
    send: int = frame.decoded.steps[frame.position][1]  # the jump back after the `yield`
    frame.position = send + 1
    execution.push(function, list(arguments), {})
    return 1
