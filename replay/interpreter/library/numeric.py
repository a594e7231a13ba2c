"""Functions which call one special method: `len`, `hash`, `abs`, `round`, `divmod`, `pow`, and those of numbers."""

from __future__ import annotations

import math
import operator
from typing import Any

from replay.interpreter.calls import on_values
from replay.interpreter.intrinsics import called_type, class_of
from replay.interpreter.library.looking import (
    MISSING,
    call_method,
    has,
    is_python,
    plain_arguments,
    plain_rest,
    raw_method,
    result_of,
    sized_natively,
)
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, stands_for
from replay.interpreter.protocols import binary
from replay.interpreter.versions import TRUNCATES


@stands_for(len, natively_if=sized_natively)
def length(thing: Any, /) -> Any:
    if not has(thing, "__len__"):
        raise TypeError(f"object of type '{called_type(thing)}' has no len()")
    return as_size(as_index(call_method(thing, "__len__")))


@natively
def as_size(number: int) -> int:
    """A length, as `len` returns it. Raises what it raises for a number that is none."""
    if number < 0:
        raise ValueError("__len__() should return >= 0")
    b"" * number  # raises OverflowError if it is too large for one
    return number


@stands_for(operator.index, natively_if=plain_arguments)
@on_values
def as_index(number: Any, /) -> Any:
    """The exact integer that an object stands for."""
    if is_a(number, int):
        return exact(number)
    if not has(number, "__index__"):
        raise TypeError(f"'{called_type(number)}' object cannot be interpreted as an integer")
    return exact(result_of(number, "__index__", int, "int"))


@natively
def exact(number: int) -> int:
    return int.__index__(number)


@stands_for(hash, natively_if=plain_arguments)
def hashed(thing: Any, /) -> Any:
    method = raw_method(thing, "__hash__")
    if method is None:
        raise TypeError(f"unhashable type: '{called_type(thing)}'")
    result = call_method(thing, "__hash__")
    if not is_a(result, int):
        raise TypeError("__hash__ method should return an integer")
    return as_hash(result)


class _Hashed:
    """Has a given hash."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return self.number


@natively
def as_hash(number: int) -> int:
    """The hash of an object whose `__hash__` returns this number."""
    return hash(_Hashed(number))


@stands_for(tuple.__hash__, natively_if=plain_arguments)
def hash_of_tuple(things: Any, /) -> Any:
    return hash_of_hashes([hash(each) for each in items_of(things)])


@natively
def items_of(things: tuple[Any, ...]) -> list[Any]:
    return list(tuple.__iter__(things))


@natively
def hash_of_hashes(hashes: list[int]) -> int:
    return hash(tuple(map(_Hashed, hashes)))


@stands_for(abs, natively_if=plain_arguments)
def absolute(number: Any, /) -> Any:
    if not has(number, "__abs__"):
        raise TypeError(f"bad operand type for abs(): '{called_type(number)}'")
    return call_method(number, "__abs__")


@stands_for(round, natively_if=plain_arguments)
def rounded(number: Any, ndigits: Any = None) -> Any:
    if not has(number, "__round__"):
        raise TypeError(f"type {called_type(number)} doesn't define __round__ method")
    if ndigits is None:
        return call_method(number, "__round__")
    return call_method(number, "__round__", ndigits)


@stands_for(divmod, natively_if=plain_arguments)
def quotient_and_rest(left: Any, right: Any, /) -> Any:
    return binary(left, right, "__divmod__", "__rdivmod__", "divmod()")


@stands_for(pow, natively_if=plain_arguments)
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    if not is_python(raw_method(base, "__pow__")):
        return call_natively(pow, base, exp, mod)
    result = call_method(base, "__pow__", exp, mod)
    return call_natively(pow, stand_in(base), exp, mod) if result is NotImplemented else result


@natively
def stand_in(thing: Any) -> Any:
    """An object with the same name of its class, which supports nothing."""
    return type(called_type(thing), (), {})()


# -- constructors of numbers -----------------------------------------------------------------


@stands_for(bool, natively_if=plain_arguments)
def truth(thing: Any = False, /) -> Any:
    return True if thing else False  # noqa: SIM210 - `bool` is what this stands for


@stands_for(int, natively_if=plain_arguments)
def integer(*arguments: Any, **keywords: Any) -> Any:
    if len(arguments) + len(keywords) > 2:
        return call_natively(int, *arguments, **keywords)
    if len(arguments) == 2:
        return call_natively(int, arguments[0], as_index(arguments[1]))
    if "base" in keywords:
        keywords["base"] = as_index(keywords["base"])
    if len(arguments) != 1 or keywords:
        return call_natively(int, *arguments, **keywords)
    number = arguments[0]
    if has(number, "__int__"):
        return exact(result_of(number, "__int__", int, "int"))
    if has(number, "__index__"):
        return as_index(number)
    if has(number, "__trunc__") and TRUNCATES:
        return truncated(call_method(number, "__trunc__"))
    return call_natively(int, number)


def truncated(result: Any) -> Any:
    if is_a(result, int):
        return exact(result)
    if not has(result, "__index__"):
        raise TypeError(f"__trunc__ returned non-Integral (type {called_type(result)})")
    return as_index(result)


@stands_for(int.__new__, natively_if=plain_rest)
def new_integer(kind: Any, /, *arguments: Any, **keywords: Any) -> Any:
    if len(arguments) + len(keywords) > 2:
        return call_natively(int.__new__, kind, *arguments, **keywords)
    return made(int, kind, integer(*arguments, **keywords))


@natively
def made(base: Any, kind: Any, value: Any) -> Any:
    """An object of a class derived from a class of values, which holds a value."""
    return value if kind is base else base.__new__(kind, value)


@stands_for(float, natively_if=plain_arguments)
def floating(number: Any = 0.0, /) -> Any:
    if is_a(number, str) or class_of(number) is float:
        return call_natively(float, number)
    if has(number, "__float__"):
        result = call_method(number, "__float__")
        if not is_a(result, float):
            raise TypeError(f"{called_type(number)}.__float__ returned non-float (type {called_type(result)})")
        return call_natively(float.__float__, result)
    return call_natively(float, as_index(number)) if has(number, "__index__") else call_natively(float, number)


@stands_for(float.__new__, natively_if=plain_rest)
def new_float(kind: Any, number: Any = 0.0, /) -> Any:
    return made(float, kind, floating(number))


@stands_for(complex, natively_if=plain_arguments)
def complex_number(real: Any = MISSING, imag: Any = MISSING) -> Any:
    given = {name: part for name, part in (("real", real), ("imag", imag)) if part is not MISSING}
    if not (is_a(real, str) or is_a(imag, str)):
        if has(real, "__complex__") and class_of(real) is not complex:
            given["real"] = result_of(real, "__complex__", complex, "complex")
        if all(is_a(part, complex) or has(part, "__float__") or has(part, "__index__") for part in given.values()):
            for name, part in given.items():
                given[name] = part if is_a(part, complex) else floating(part)
    return call_natively(complex, **given)


# -- math ------------------------------------------------------------------------------------


@stands_for(math.floor, natively_if=plain_arguments)
def floor(number: Any, /) -> Any:
    if has(number, "__floor__") and class_of(number) is not float:
        return call_method(number, "__floor__")
    return call_natively(math.floor, as_float(number))


@stands_for(math.ceil, natively_if=plain_arguments)
def ceil(number: Any, /) -> Any:
    if has(number, "__ceil__") and class_of(number) is not float:
        return call_method(number, "__ceil__")
    return call_natively(math.ceil, as_float(number))


@stands_for(math.trunc, natively_if=plain_arguments)
def trunc(number: Any, /) -> Any:
    if not has(number, "__trunc__"):
        raise TypeError(f"type {called_type(number)} doesn't define __trunc__ method")
    return call_method(number, "__trunc__")


def as_float(number: Any) -> Any:
    """Converts an argument as functions of `math` do."""
    if is_a(number, float) or not (has(number, "__float__") or has(number, "__index__")):
        return number
    return floating(number)
