"""Instructions that jump, iterate, yield and return."""

from __future__ import annotations

from typing import Any

from replay.interpreter import protocols
from replay.interpreter.async_generators import AsyncGenerator, AsyncSend, AsyncStep, AsyncYielded, generator_of
from replay.interpreter.calls import call
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import SWITCH, Instruction, leave, raise_again, simple, with_argument
from replay.interpreter.frame import NULL, Frame, Returned
from replay.interpreter.generators import Coroutine, Generator, begin_resume, called_or_returned, is_iterable_coroutine
from replay.interpreter.intrinsics import called_type
from replay.interpreter.lookup import identity, lookup, python_method
from replay.interpreter.natives import STEPS
from replay.interpreter.ownership import is_shared

# -- jumps ----------------------------------------------------------------------------


@with_argument
def JUMP(target: int, _: Decoded) -> Instruction:
    def jump(frame: Frame) -> None:
        frame.position = target

    return jump


@with_argument
def JUMP_BACK(target: int, _: Decoded) -> Instruction:
    def jump_back(frame: Frame) -> None:
        execution = frame.execution
        execution.patience -= 1
        if execution.patience <= 0:
            execution.overrun()
        frame.position = target

    return jump_back


def _count(frame: Frame) -> None:
    """Count a jump back."""
    execution = frame.execution
    execution.patience -= 1
    if execution.patience <= 0:
        execution.overrun()


@with_argument
def JUMP_IF(argument: tuple[int, bool], _: Decoded) -> Instruction:
    target, when = argument

    def jump_if(frame: Frame) -> None:
        if frame.stack.pop() is when:
            if target < frame.position:
                _count(frame)
            frame.position = target

    return jump_if


@with_argument
def JUMP_IF_NONE(argument: tuple[int, bool], _: Decoded) -> Instruction:
    target, when = argument

    def jump_if_none(frame: Frame) -> None:
        if (frame.stack.pop() is None) is when:
            if target < frame.position:
                _count(frame)
            frame.position = target

    return jump_if_none


# -- loops ----------------------------------------------------------------------------


@simple
def GET_ITER(frame: Frame) -> int | None:
    thing = frame.stack.pop()
    kind = type(thing)
    if kind in _WITHOUT_MODEL and not is_shared(frame, thing):
        frame.stack.append(iter(thing))
        return None
    if kind is Generator:
        frame.stack.append(thing)
        return None
    return call(frame, iter, [thing], {})


_WITHOUT_MODEL = frozenset({list, tuple, str, bytes, range, bytearray})
"""Classes whose native iterators say all of themselves."""


@simple
def GET_YIELD_FROM_ITER(frame: Frame) -> int | None:
    thing = frame.stack[-1]
    kind = type(thing)
    if kind is Generator:
        return None
    if kind is Coroutine:
        if frame.code.co_flags & (0x80 | 0x100):
            return None
        raise TypeError("cannot 'yield from' a coroutine object in a non-coroutine generator")
    return GET_ITER(frame)


@with_argument
def FOR(target: int, _: Decoded) -> Instruction:
    def for_(frame: Frame) -> int | None:
        stack = frame.stack
        iterator = stack[-1]
        kind = type(iterator)
        if kind is Generator:
            return begin_resume(frame.execution, frame, iterator, None)
        by_python = python_method(kind, "__next__")
        if by_python is not None:
            _, may_step = STEPS.get(identity(by_python), _NO_STEP)
            if may_step(iterator) and frame.execution.guard is None:
                _step(frame, by_python, iterator, target)
                return None
            frame.execution.push(called_or_returned, [by_python, iterator], {})
            return SWITCH
        value = next(iterator, NULL)
        if value is NULL:
            stack.pop()
            frame.position = target
        else:
            stack.append(value)
            frame.position += 1
        return None

    return for_


_NO_STEP: Any = None, lambda iterator: False


def _step(frame: Frame, method: Any, iterator: Any, target: int) -> None:
    """Take the next item by a method that calls nothing back."""
    try:
        value = method(iterator)
    except StopIteration:
        frame.stack.pop()
        frame.position = target
    else:
        frame.stack.append(value)
        frame.position += 1


@with_argument
def FOR_END(target: int, _: Decoded) -> Instruction:
    """After a step of Python code: leave the loop if the iterator has no more items."""

    def for_end(frame: Frame) -> None:
        if type(frame.stack[-1]) is Returned:
            del frame.stack[-2:]
            frame.position = target

    return for_end


# -- generators -----------------------------------------------------------------------


@simple
def RETURN_GENERATOR(frame: Frame) -> int:
    is_base, frame.is_base = frame.is_base, False
    generator = generator_of(frame)
    frames = frame.execution.frames
    frames.pop()
    assert not is_base
    frames[-1].stack.append(generator)
    return SWITCH


@with_argument
def YIELD_VALUE(_delegates: bool, _: Decoded) -> Instruction:
    def yield_value(frame: Frame) -> int:
        generator = frame.generator
        assert generator is not None
        generator.leaves("waiting")
        return leave(frame, frame.stack.pop())

    return yield_value


@simple
def RETURN_VALUE(frame: Frame) -> int:
    value = frame.stack.pop()
    generator = frame.generator
    if generator is not None:
        generator.leaves("over")
        value = Returned(value)
    elif frame.made is not NULL:
        if value is not None:
            _refuse_result(frame, value)
        value = frame.made
    return leave(frame, value)


def _refuse_result(frame: Frame, value: Any) -> None:
    """The error of a constructor that returns something: it is raised in the calling frame."""
    frame.execution.frames.pop()
    raise TypeError(f"__init__() should return None, not '{called_type(value)}'")


@with_argument
def SEND(target: int, _: Decoded) -> Instruction:
    def send(frame: Frame) -> int | None:
        stack = frame.stack
        value = stack.pop()
        iterator = stack[-1]
        kind = type(iterator)
        if kind is Generator or kind is Coroutine:
            return begin_resume(frame.execution, frame, iterator, value)
        frame.execution.push(protocols.sent, [iterator, value], {})
        return SWITCH

    return send


@with_argument
def SEND_END(target: int, _: Decoded) -> Instruction:
    """After a step of what is waited for: go on behind the loop if it has returned."""

    def send_end(frame: Frame) -> None:
        stack = frame.stack
        if type(stack[-1]) is Returned:
            stack[-2:] = [stack[-1].value]
            frame.position = target

    return send_end


@simple
def CLEANUP_THROW(frame: Frame) -> None:
    stack = frame.stack
    error = stack[-1]
    if not issubclass(type(error), StopIteration):
        raise_again(error)
    stack[-3:] = [None, error.value]


# -- coroutines and asynchronous generators -------------------------------------------


@simple
def WRAP(frame: Frame) -> None:
    frame.stack[-1] = AsyncYielded(frame.stack[-1])


_AWAIT_OF = {1: "__aenter__", 2: "__aexit__"}


@with_argument
def GET_AWAITABLE(where: int, _: Decoded) -> Instruction:
    def get_awaitable(frame: Frame) -> int | None:
        thing = frame.stack[-1]
        kind = type(thing)
        if kind is Coroutine or issubclass(kind, AsyncStep) or (kind is Generator and is_iterable_coroutine(thing)):
            if kind is Coroutine and thing.state == "waiting" and thing.gi_yieldfrom is not None:
                raise RuntimeError("coroutine is being awaited already")
            return None
        frame.stack.pop()
        method = lookup(kind, "__await__")
        if method is NULL or kind is Generator:
            raise TypeError(_not_awaitable(kind, where))
        return call(frame, method, [thing], {})

    return get_awaitable


def _not_awaitable(kind: type, where: int) -> str:
    if where in _AWAIT_OF:
        giver = f"'async with' received an object from {_AWAIT_OF[where]}"
        return f"{giver} that does not implement __await__: {kind.__name__}"
    return f"object {_shown(kind)} can't be used in 'await' expression"


def _shown(kind: type) -> str:
    return kind.native.__name__ if issubclass(kind, Generator) else kind.__name__


@simple
def GET_AITER(frame: Frame) -> int | None:
    thing = frame.stack.pop()
    method = lookup(type(thing), "__aiter__")
    if method is NULL:
        raise TypeError(f"'async for' requires an object with __aiter__ method, got {called_type(thing)}")
    return call(frame, method, [thing], {})


@simple
def GET_ANEXT(frame: Frame) -> int | None:
    thing = frame.stack[-1]
    method = lookup(type(thing), "__anext__")
    if method is NULL:
        raise TypeError(f"'async for' requires an iterator with __anext__ method, got {called_type(thing)}")
    if type(thing) is AsyncGenerator:
        frame.stack.append(AsyncSend(thing, None))
        return None
    frame.execution.push(protocols.awaitable_step, [method, thing], {})
    return SWITCH


@simple
def END_ASYNC_FOR(frame: Frame) -> None:
    error = frame.stack.pop()
    if not issubclass(type(error), StopAsyncIteration):
        raise_again(error)
    frame.stack.pop()


@simple
def STOPITERATION_ERROR(frame: Frame) -> None:
    """From 3.12 on generators do themselves what `Generator.failed` does for those of 3.11."""
    error = frame.stack[-1]
    generator = frame.generator
    assert generator is not None
    frame.stack[-1] = generator.changed(error)
