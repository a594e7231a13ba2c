"""`pytest.raises`: its own code looks into all of pytest, and into tracebacks."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import pytest

from replay.interpreter.calls import refuse_here
from replay.interpreter.frame import MISSING
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, stands_for


class Info:
    """`ExceptionInfo`: the exception, its type, and `match`. All else is of tracebacks, and refused."""

    value: Any

    @property
    def type(self) -> Any:
        return type(self.value)

    @property
    def typename(self) -> str:
        return type(self.value).__name__

    def match(self, pattern: Any) -> bool:
        text = text_of(self.value)
        if re.search(pattern, text) is None:
            raise AssertionError(mismatch(pattern, text))
        return True

    def __getattr__(self, name: str) -> Any:
        refuse_attribute(name)

    def __repr__(self) -> str:
        return f"<ExceptionInfo {self.value!r}>"


class Raises:
    """The context manager that `pytest.raises` returns."""

    def __init__(self, expected: Any, match: Any, check: Any) -> None:
        self.expected, self.pattern, self.check = expected, match, check

    def __enter__(self) -> Info:
        self.info = Info()
        return self.info

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if kind is None:
            raise failed(did_not_raise(self.expected))
        if self.expected and not issubclass(kind, self.expected):
            return False
        self.info.value = error
        if self.pattern is not None:
            self.info.match(self.pattern)
        if self.check is not None and not self.check(error):
            raise AssertionError("check did not return True")
        return True


@stands_for(pytest.raises)
def raises(
    expected_exception: Any = MISSING,
    func: Any = None,
    /,
    *args: Any,
    match: Any = None,
    check: Any = None,
    **given: Any,
) -> Any:
    """The context manager, or its result for a function that is called in it."""
    expected = expected_of(given.pop("expected_exception", expected_exception))
    if func is None and not given:
        return Raises(expected, match, check)
    with Raises(expected, None, None) as info:
        func(*args, **given)
    return info


@natively
def expected_of(expected: Any) -> tuple[type, ...]:
    """Returns the classes that are expected. Refuses what pytest takes only in some versions."""
    kinds = () if expected is MISSING else expected if type(expected) is tuple else (expected,)
    if not all(is_class_of_errors(each) for each in kinds):
        refuse_here("pytest.raises is given what is no class of exceptions: name the classes themselves")
    return kinds


def is_class_of_errors(kind: Any) -> bool:
    return is_a(kind, type) and issubclass(kind, BaseException)


@natively
def did_not_raise(expected: tuple[type, ...]) -> str:
    if not expected:
        return "DID NOT RAISE any exception"
    names = ", ".join(each.__name__ for each in expected)
    return f"DID NOT RAISE {names}" if len(expected) == 1 else f"DID NOT RAISE any of ({names})"


@natively
def failed(message: str) -> BaseException:
    """Returns the exception by which pytest ends a test that fails."""
    return pytest.fail.Exception(message)


def text_of(error: Any) -> str:
    """The text in which `match` looks: of the exception, and its notes."""
    notes = getattr(error, "__notes__", ())
    return "\n".join([str(error), *notes])


@natively
def mismatch(pattern: Any, text: str) -> str:
    expected = getattr(pattern, "pattern", pattern)
    return f"Regex pattern did not match.\n  Expected regex: {expected!r}\n  Actual message: {text!r}"


@natively
def refuse_attribute(name: str) -> NoReturn:
    refuse_here(f"thread code uses {name} of what pytest.raises has caught: ask its value or type, or call match()")
