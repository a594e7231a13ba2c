"""What the library runs natively since it calls nothing back, and where code of users answers after all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from replay.interpreter.execution import Execution


class Even:
    """Is equal to even numbers, and to classes."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type) or (isinstance(other, int) and other % 2 == 0)

    __hash__ = None  # type: ignore[assignment]


class OfMeta(type):
    def __eq__(cls, other: object) -> bool:
        return other == "odd"

    __hash__ = type.__hash__


class Odd(metaclass=OfMeta):
    pass


class Divided(metaclass=OfMeta):
    def __divmod__(self, other: Any) -> str:
        return "divided"

    def __rdivmod__(self, other: Any) -> str:
        return "divided by"


class Part(Divided):
    def __rdivmod__(self, other: Any) -> str:
        return "part"


class Said:
    """Says that it is of another class."""

    @property
    def __class__(self) -> Any:
        return Even


class Sized(list[int]):
    def __len__(self) -> int:
        return 7


def _contains() -> Any:
    kinds = (list, tuple, len)
    return (
        *(list in kinds, dict in kinds, len in kinds, Even() in kinds, list in (Even(),), 3 in (Even(), list)),
        *("odd" in (Odd,), "even" in [Odd], Odd in ["odd"], [].append in ([].append,)),
    )


def _removes() -> Any:
    things = [int, Even(), str]
    things.remove(float)
    return things


def _is_instance() -> Any:
    return (
        *(isinstance(3, int | str), isinstance(3, (str, bytes)), isinstance(True, int), isinstance([], list)),
        *(isinstance(Said(), Even), isinstance(3, Even), isinstance(Said(), Even | int)),
    )


def _lengths() -> Any:
    return len(Sized([1])), len(list[int]([1, 2]).copy()), len({1: 2}.keys())


def _divisions() -> Any:
    return divmod(Divided(), Odd()), divmod(Odd(), Divided()), divmod(Divided(), Part()), isinstance(Odd(), Divided)


def _loops() -> Any:
    table = {"a": 1, "b": 2}
    met: list[Any] = [*enumerate(table), *enumerate([5, 6], 1), *table.items(), *sorted({3, 1})]
    try:
        for name in table:
            met.append(name)
            table["c"] = 3
    except RuntimeError as error:
        met.append(str(error))
    return met


def _raises() -> Any:
    met: list[Any] = []
    for kind in (StopIteration, KeyError, ZeroDivisionError, UnicodeDecodeError):
        try:
            try:
                raise kind
            finally:
                met.append("finally")
        except (Exception, TypeError) as error:
            met.append((type(error), error.args, error.__context__))
    return met


@pytest.mark.parametrize("code", [_contains, _is_instance, _lengths, _divisions, _loops, _raises])
def test_results_are_those_of_python(code: Callable[[], Any]) -> None:
    assert repr(Execution().call(code)) == repr(code())


@pytest.mark.parametrize("code", [_contains, _removes, _is_instance, _lengths, _divisions])
def test_native_code_calls_no_method_of_users(code: Callable[[], Any]) -> None:
    called: list[str] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename == __file__:
            called.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        Execution().call(code)
    finally:
        sys.setprofile(None)
    assert called == []
