"""Exceptions as CPython has them: which one is the context of another, and through which lines it went."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from replay.errors import ModelError
from replay.interpreter.frame import MISSING, Frame
from replay.interpreter.lookup import identity, is_a

_fields: Any = vars(BaseException)
TRACEBACK, CONTEXT, CAUSE = (_fields[name] for name in ("__traceback__", "__context__", "__cause__"))
"""Read and write these fields of exceptions, whatever a class of users does with its attributes."""

Line = tuple[str, str, int]
"""Name of the file, qualified name of the code, line."""


class Raised(BaseException):
    """Carries an exception from an instruction to the loop.

    adds_line  whether CPython adds the running line to its traceback: not for a bare `raise`
    """

    def __init__(self, error: BaseException, *, adds_line: bool = True) -> None:
        self.error = error
        self.adds_line = adds_line


class HostStop(BaseException):
    """The base of what ends an execution from outside: no `except` of the interpreted code catches it."""


class OutOfMemory(HostStop):
    """Native code has found no memory: it depends on the machine, and is nothing that the code does."""


class Refused(HostStop):
    """Interpreted code does what cannot be checked."""

    def __init__(self, error: ModelError) -> None:
        self.error = error


class UnknownCallable(Refused):
    """A call of native code that is in no table."""

    def __init__(self, called: Any, where: str) -> None:
        self.called = called
        super().__init__(ModelError(refusal_of(name_of(called)), where))


def name_of(called: Any) -> str:
    """Returns the name of a callable in code: with the name of its module, unless it is built in."""
    name = getattr(called, "__qualname__", None) or type(called).__qualname__
    module = getattr(called, "__module__", None) or type(called).__module__
    return str(name) if module == "builtins" else f"{module}.{name}"


def refusal_of(native: str, caller: str = "") -> str:
    """The sentence about native code of this name; `caller` is the function of Python's library that calls it."""
    subject = f"{caller} cannot be checked: it calls {native}," if caller else f"{native} cannot be checked: it is"
    return f"{subject} native code which mcr does not know. Write it in Python, or vouch for it with @mcr.pure"


def contexts(error: BaseException) -> Iterator[BaseException]:
    """An exception, its context, the context of that, and so on; each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and identity(current) not in seen:
        seen.add(identity(current))
        yield current
        current = CONTEXT.__get__(current)


def set_context(error: BaseException, handled: BaseException | None) -> None:
    """Make the handled exception the context of a raised one, cutting a circle that this would close.

    As `_PyErr_SetObject` of CPython does.
    """
    if handled is None or handled is error:
        return
    for each in contexts(handled):
        if CONTEXT.__get__(each) is error:
            CONTEXT.__set__(each, None)
            break
    CONTEXT.__set__(error, handled)


def extend_context(error: BaseException, handled: BaseException | None) -> None:
    """As `set_context`, for an exception from inside a native call: the last of its contexts gets the new one."""
    if handled is None or any(each is handled for each in contexts(error)):
        return
    *_, last = contexts(error)
    set_context(last, handled)


def raise_error(frame: Frame, error: Any, cause: Any) -> NoReturn:
    """`raise error from cause` in the code of a frame; MISSING stands for no cause. Both are objects."""
    if frame.execution.objects is not None and cause is not MISSING:
        frame.execution.objects.check_cause(error, cause)
    if not is_a(error, BaseException):
        raise TypeError("exceptions must derive from BaseException")
    if cause is not MISSING:
        if cause is not None and not is_a(cause, BaseException):
            raise TypeError("exception causes must derive from BaseException")
        CAUSE.__set__(error, cause)
    set_context(error, frame.handled.innermost())
    raise Raised(error)
