"""Values of parameters that are swept: "n=2..6", "n=2,4,8", "kind='a','b'"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(\d+))?")
_MOST = 10_000
"""Values of one parameter: more is a slip of the pen."""


class Sweep(NamedTuple):
    """A parameter, and the values that it takes one after the other."""

    name: str
    values: tuple[object, ...]


def read_sweep(text: str) -> Sweep:
    """A sweep as users write it: NAME=FIRST..LAST, NAME=FIRST..LAST..STEP, or NAME=VALUE,VALUE. Raises ValueError."""
    name, equals, told = text.partition("=")
    if not (equals and name.isidentifier()):
        raise ValueError(f"{text!r} is not of the form name=2..6 or name=2,4,8")
    found = _RANGE.fullmatch(told.strip())
    values = _numbers(text, *found.groups()) if found else _literals(text, told)
    if len(values) > _MOST:
        raise ValueError(f"{text!r} has {len(values)} values; {_MOST} are enough")
    return Sweep(name, tuple(values))


def _numbers(text: str, first: str, last: str, step: str | None) -> range:
    numbers = range(int(first), int(last) + 1, int(step or 1) or 1)
    if not numbers:
        raise ValueError(f"{text!r} has no values: {first} is larger than {last}")
    return numbers


def _literals(text: str, told: str) -> tuple[object, ...]:
    try:
        return tuple(ast.literal_eval(f"({told},)"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"{told!r} is neither 2..6 nor Python literals with commas between (in {text!r})") from None


def combined(sweeps: Iterable[Sweep]) -> Iterator[tuple[tuple[str, object], ...]]:
    """Every combination of the values, the last parameter the fastest."""
    sweeps = list(sweeps)
    for values in product(*(sweep.values for sweep in sweeps)):
        yield tuple((sweep.name, value) for sweep, value in zip(sweeps, values, strict=True))
