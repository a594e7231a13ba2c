"""Results and inputs of native code that are too large: native code cannot be stopped in the middle.

What goes through a long range is interpreted item by item instead. A result that would take very much memory is
refused before it is made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from replay.errors import ModelError
from replay.interpreter.exceptions import Refused

LARGEST = 10**8
"""Bytes or items that one step of thread code may make."""

LARGEST_PRODUCT = 10**6
"""Bytes of a number that is made by many multiplications, which take long."""

LONGEST = 10**6
"""Items of a range that native code may go through at once."""

_SEQUENCES = frozenset({str, bytes, bytearray, list, tuple})
_NUMBERS = frozenset({int, bool})


class TooLarge(Refused):
    """A line makes something very large, or searches it; whoever knows the line completes the error."""

    def __init__(self, does: str, size: int) -> None:
        shown = f"{size:,}" if size < 10**18 else "more than 10**18"
        super().__init__(ModelError(f"this line {does} {shown} bytes or items, too many to check: use fewer"))


def is_short(thing: Any) -> bool:
    """Returns False for a range that native code must not go through at once."""
    return type(thing) is not range or not thing or (thing[-1] - thing[0]) // thing.step < LONGEST


def check(size: int, largest: int = LARGEST) -> None:
    """Raise TooLarge for a result of that size."""
    if size > largest:
        raise TooLarge("makes a value of", size)


def check_power(arguments: Sequence[Any]) -> None:
    """Before `base ** exponent` of integers."""
    if len(arguments) == 2 and _NUMBERS.issuperset(map(type, arguments)):
        base, exponent = arguments
        if exponent > 0 and not -2 < base < 2:
            check(base.bit_length() * exponent // 8, LARGEST_PRODUCT)


def check_shift(arguments: Sequence[Any]) -> None:
    """Before `number << places`."""
    if len(arguments) == 2 and _NUMBERS.issuperset(map(type, arguments)) and arguments[0]:
        check(arguments[1] // 8)


def check_repetition(arguments: Sequence[Any]) -> None:
    """Before `sequence * times` or `times * sequence`."""
    for thing, times in (arguments, arguments[::-1]) if len(arguments) == 2 else ():
        if type(thing) in _SEQUENCES and type(times) in _NUMBERS:
            check(len(thing) * times)


def check_width(arguments: Sequence[Any]) -> None:
    """Before a text is made as long as the second argument says."""
    if len(arguments) > 1 and type(arguments[1]) in _NUMBERS:
        check(arguments[1])


def check_count(arguments: Sequence[Any]) -> None:
    """Before so many bytes are made."""
    if arguments and type(arguments[0]) in _NUMBERS:
        check(arguments[0])


def check_factorial(arguments: Sequence[Any]) -> None:
    """Before the product of all integers up to one is made."""
    if arguments and type(arguments[0]) in _NUMBERS and arguments[0] > 1:
        check(arguments[0] * arguments[0].bit_length() // 8, LARGEST_PRODUCT)


def check_membership(arguments: Sequence[Any]) -> None:
    """Before a range is searched for what is no integer, item by item."""
    if len(arguments) == 2 and type(arguments[1]) not in _NUMBERS and not is_short(arguments[0]):
        raise TooLarge("searches more than", LONGEST)


Check = Callable[[Sequence[Any]], None]

_CHECKED: tuple[tuple[Check, tuple[Any, ...]], ...] = (
    (check_power, (pow, int.__pow__, operator.pow, operator.ipow)),
    (check_shift, (int.__lshift__, operator.lshift, operator.ilshift)),
    (check_repetition, (operator.mul, operator.imul)),
    (check_repetition, tuple(vars(kind)[name] for kind in _SEQUENCES for name in ("__mul__", "__rmul__"))),
    (check_width, tuple(vars(kind)[name] for kind in (str, bytes) for name in ("ljust", "rjust", "center", "zfill"))),
    (check_count, (bytes, bytearray)),
    (check_factorial, (math.factorial,)),
    (check_membership, (range.__contains__, range.index, range.count)),
)

_by_identity: dict[int, Check] = {id(native): check for check, natives in _CHECKED for native in natives}


def check_of(native: Any) -> Check | None:
    """Returns the check that is called with a native callable's arguments before it runs; None for most."""
    return _by_identity.get(id(native))
