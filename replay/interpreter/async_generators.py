"""Asynchronous generators, and the steps of one that are awaited: objects of ours, as generators are."""

from __future__ import annotations

import types
from collections.abc import AsyncGenerator as AsyncGeneratorOfC
from typing import Any

from replay.interpreter.frame import Frame, Returned
from replay.interpreter.generators import Coroutine, Generator, exception_of, raise_result, resume, throw_into
from replay.interpreter.natives import shows_as
from replay.interpreter.versions import CLOSES_BY_THROWING


async def _an_async_generator() -> AsyncGeneratorOfC[None, None]:
    """Shows which classes the steps of an asynchronous generator have."""
    yield None


def _kind_of_step(method: str) -> type:
    step = getattr(_an_async_generator(), method)()
    step.close()  # or Python says that it was never awaited
    return type(step)


_IS_COROUTINE = 0x80
_IS_ASYNC_GENERATOR = 0x200


class AsyncGenerator(Generator):
    """An asynchronous generator: what its methods return is to be awaited.

    is_closed   no step may throw into it any more
    is_stepping a step has begun and has not ended
    """

    kind = "async generator"
    native = types.AsyncGeneratorType
    __iter__ = None  # type: ignore[assignment]

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.is_closed = False
        self.is_stepping = False

    def __aiter__(self) -> AsyncGenerator:
        return self

    def __anext__(self) -> AsyncStep:
        return AsyncSend(self, None)

    def asend(self, value: Any) -> AsyncStep:
        return AsyncSend(self, value)

    def athrow(self, kind: Any, value: Any = None, traceback: Any = None) -> AsyncStep:
        return AsyncThrow(self, (kind, value))

    def aclose(self) -> AsyncStep:
        return AsyncThrow(self, None)

    @property
    def ag_running(self) -> bool:
        return self.is_stepping


FRAMED: frozenset[type] = frozenset({Generator, Coroutine, AsyncGenerator})
"""Classes of objects that have their frames."""

for _kind in (Generator, Coroutine, AsyncGenerator):
    _kind.__name__ = _kind.__qualname__ = _kind.native.__name__  # messages of native code name them


class AsyncYielded:
    """A value that an asynchronous generator yields to a loop over it, told from what it awaits."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class AsyncStep:
    """One step of an asynchronous generator, to be awaited. `state` is "new", "begun" or "over"."""

    called = ""

    def __init__(self, generator: AsyncGenerator, value: Any) -> None:
        self.generator = generator
        self.value = value
        self.state = "new"

    def __await__(self) -> AsyncStep:
        return self

    def __iter__(self) -> AsyncStep:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        raise NotImplementedError

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        raise NotImplementedError

    def check_not_over(self) -> None:
        if self.state == "over":
            raise RuntimeError(f"cannot reuse already awaited {self.called}")

    def close(self) -> None:
        """Drops the step; from 3.13 on an exception is raised in the generator."""
        if CLOSES_BY_THROWING and self.state != "over":
            try:
                self.throw(GeneratorExit)
            except (StopIteration, StopAsyncIteration, GeneratorExit):
                return
            raise RuntimeError("coroutine ignored GeneratorExit")
        self.state = "over"


@shows_as(_kind_of_step("__anext__"))
class AsyncSend(AsyncStep):
    """To the next `yield`, sending a value."""

    called = "__anext__()/asend()"

    def send(self, value: Any) -> Any:
        self.check_not_over()
        generator = self.generator
        if self.state == "new":
            if generator.is_stepping:
                raise RuntimeError("anext(): asynchronous generator is already running")
            self.state = "begun"
            if value is None:
                value = self.value
        generator.is_stepping = True
        return self.stepped(resume, value)

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        self.check_not_over()
        return self.stepped(throw_into, exception_of(kind, value))

    def stepped(self, resumed: Any, value: Any) -> Any:
        try:
            return unwrapped(self.generator, resumed, value)
        except BaseException:
            self.state = "over"
            raise


@shows_as(_kind_of_step("aclose"))
class AsyncThrow(AsyncStep):
    """An exception is raised where the generator waits: `value` says which one, None stands for closing it."""

    called = "aclose()/athrow()"

    def send(self, value: Any) -> Any:
        self.check_not_over()
        generator = self.generator
        if generator.state == "over":
            self.state = "over"
            raise StopIteration
        if self.state == "new":
            self.begin(value)
            if self.value is not None:
                return unwrapped(generator, throw_into, exception_of(*self.value))
            generator.is_closed = True
            return self.closing(throw_into, GeneratorExit())
        if self.value is not None:
            return unwrapped(generator, resume, value)
        return self.closing(resume, value)

    def begin(self, value: Any) -> None:
        generator = self.generator
        if generator.is_stepping:
            called = "aclose()" if self.value is None else "athrow()"
            raise RuntimeError(f"{called}: asynchronous generator is already running")
        if generator.is_closed:
            self.state = "over"
            raise StopAsyncIteration
        if value is not None:
            raise RuntimeError("can't send non-None value to a just-started coroutine")
        self.state = "begun"
        generator.is_stepping = True

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        self.check_not_over()
        if self.value is not None:
            return unwrapped(self.generator, throw_into, exception_of(kind, value))
        return self.closing(throw_into, exception_of(kind, value))

    def closing(self, resumed: Any, value: Any) -> Any:
        """Go on with the generator, which is to end now."""
        try:
            result = resumed(self.generator, value)
        except (StopAsyncIteration, GeneratorExit):
            result = Returned(None)
        except BaseException:
            self.end()
            raise
        if type(result) is Returned:
            self.end()
            raise StopIteration
        if type(result) is AsyncYielded:
            self.end()
            raise RuntimeError("async generator ignored GeneratorExit")
        return result

    def end(self) -> None:
        self.state = "over"
        self.generator.is_stepping = False


def generator_of(frame: Frame) -> Generator:
    """The generator whose code a frame runs that has just begun."""
    flags = frame.code.co_flags
    if flags & _IS_ASYNC_GENERATOR:
        return AsyncGenerator(frame)
    return Coroutine(frame) if flags & _IS_COROUTINE else Generator(frame)


def unwrapped(generator: AsyncGenerator, resumed: Any, value: Any) -> Any:
    """Go on with an asynchronous generator; returns what is awaited.

    Raises StopIteration with what was yielded, StopAsyncIteration at the end.
    """
    try:
        result = resumed(generator, value)
        if type(result) is Returned:
            raise StopAsyncIteration
    except (StopAsyncIteration, GeneratorExit):
        generator.is_closed = True
        generator.is_stepping = False
        raise
    except BaseException:
        generator.is_stepping = False
        raise
    if type(result) is AsyncYielded:
        generator.is_stepping = False
        raise_result(result.value)
    return result
