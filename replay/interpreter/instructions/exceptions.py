"""Instructions that raise and catch, and those of `with`."""

from __future__ import annotations

import builtins
from typing import Any

from replay.interpreter import protocols
from replay.interpreter.calls import call
from replay.interpreter.decode import Decoded
from replay.interpreter.exceptions import raise_error
from replay.interpreter.execution import SWITCH, Instruction, raise_again, simple, with_argument
from replay.interpreter.frame import MISSING, NULL, Frame
from replay.interpreter.groups import split_group, to_raise_again
from replay.interpreter.lookup import lookup
from replay.interpreter.tracebacks import traceback_of

_MADE_NATIVELY = frozenset(
    kind
    for kind in vars(builtins).values()
    if isinstance(kind, type)
    and issubclass(kind, Exception)
    and kind not in (ExceptionGroup, UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)
)
"""Classes of exceptions that take no arguments, and whose constructors call nothing back."""


def _is_exception_class(thing: Any) -> bool:
    return issubclass(type(thing), type) and issubclass(thing, BaseException)


@with_argument
def RAISE_VARARGS(count: int, _: Decoded) -> Instruction:
    def raise_varargs(frame: Frame) -> int:
        if count == 0:
            error = frame.handled.innermost()
            if error is None:
                raise RuntimeError("No active exception to reraise")
            raise_again(error)
        cause = frame.stack.pop() if count == 2 else MISSING
        error = frame.stack.pop()
        if cause is MISSING and type(error) is type and error in _MADE_NATIVELY:
            raise_error(frame, error(), cause)
        if _is_exception_class(error) or _is_exception_class(cause):
            frame.execution.push(protocols.raise_made, [error, cause], {})
            return SWITCH
        raise_error(frame, error, cause)
        return SWITCH

    return raise_varargs


@simple
def RERAISE(frame: Frame) -> None:
    raise_again(frame.stack.pop())


@simple
def PUSH_EXC_INFO(frame: Frame) -> None:
    stack, handled = frame.stack, frame.handled
    error = stack.pop()
    stack.append(handled.error)
    stack.append(error)
    handled.error = error


@simple
def POP_EXCEPT(frame: Frame) -> None:
    frame.handled.error = frame.stack.pop()


@simple
def CHECK_EXC_MATCH(frame: Frame) -> None:
    kinds = frame.stack.pop()
    for kind in kinds if type(kinds) is tuple else (kinds,):
        if not _is_exception_class(kind):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    frame.stack.append(issubclass(type(frame.stack[-1]), kinds))


@simple
def SPLIT_GROUP(frame: Frame) -> int:
    stack = frame.stack
    kinds, error = stack.pop(), stack.pop()
    frame.execution.push(split_group, [error, kinds], {})
    return SWITCH


@simple
def HANDLE_PART(frame: Frame) -> None:
    """Marks what `except*` has caught as being handled, and puts it above what is left."""
    rest, matched = frame.stack.pop()
    frame.stack += (rest, matched)
    if matched is not None:
        frame.handled.error = matched


@simple
def PREP_RERAISE_STAR(frame: Frame) -> int:
    errors, original = frame.stack.pop(), frame.stack.pop()
    frame.execution.push(to_raise_again, [original, errors], {})
    return SWITCH


# -- with -----------------------------------------------------------------------------


@with_argument
def BEFORE_WITH(names: tuple[str, str], _: Decoded) -> Instruction:
    enter, leave = names
    what = "asynchronous context manager" if enter == "__aenter__" else "context manager"

    def before_with(frame: Frame) -> int | None:
        manager = frame.stack.pop()
        kind = type(manager)
        entering, leaving = lookup(kind, enter), lookup(kind, leave)
        if entering is NULL:
            raise TypeError(f"'{kind.__name__}' object does not support the {what} protocol")
        if leaving is NULL:
            raise TypeError(f"'{kind.__name__}' object does not support the {what} protocol (missed {leave} method)")
        frame.stack.append(leaving.__get__(manager, kind))
        return call(frame, entering.__get__(manager, kind), [], {})

    return before_with


def _not_a_manager(kind: type, name: str) -> str:
    """CPython's message from 3.14 on."""
    module = type.__dict__["__module__"].__get__(kind)
    qualified = type.__dict__["__qualname__"].__get__(kind)
    full = qualified if module in ("builtins", "__main__") else f"{module}.{qualified}"
    is_async = name.startswith("__a")
    what, other = ("context manager", "asynchronous context manager")[:: -1 if is_async else 1]
    message = f"{full!r} object does not support the {what} protocol (missed {name} method)"
    enter, leave = ("__enter__", "__exit__") if is_async else ("__aenter__", "__aexit__")
    if lookup(kind, enter) is not NULL and lookup(kind, leave) is not NULL:
        use = "with" if is_async else "async with"
        message += f" but it supports the {other} protocol. Did you mean to use '{use}'?"
    return message


@with_argument
def LOAD_SPECIAL(name: str, _: Decoded) -> Instruction:
    def load_special(frame: Frame) -> None:
        manager = frame.stack.pop()
        kind = type(manager)
        method = lookup(kind, name)
        if method is NULL:
            raise TypeError(_not_a_manager(kind, name))
        frame.stack += (method.__get__(manager, kind), NULL)

    return load_special


@with_argument
def WITH_EXCEPT_START(depth: int, _: Decoded) -> Instruction:
    def with_except_start(frame: Frame) -> int | None:
        stack = frame.stack
        error = stack[-1]
        arguments = [type(error), error, traceback_of(frame.execution.passed(error))]
        if depth == 5 and stack[-4] is not NULL:
            arguments.insert(0, stack[-4])
        return call(frame, stack[-depth], arguments, {})

    return with_except_start
