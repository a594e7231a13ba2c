"""The reference programs at the sizes that are counted, without their assertions; small ones first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcr.bench.case import BenchCase, parameters
from results.bench import source

CHECKED = ("sb", "mp", "fib", "example", "example_zreset", "ttas", "dekker", "peterson", "bakery", "fastmutex")
"""Programs that have assertions."""

FAILING = tuple(name for name in CHECKED if name != "fib")
"""Those whose assertions fail under some model."""

LOCKS = ("dekker", "peterson", "ttas", "fastmutex", "bakery")
"""Programs in which an assumption may stop a thread."""

_NUMBERS: dict[str, tuple[int, ...]] = {
    "sb": (2, 3, 4),
    "readers": (3, 5, 8, 10, 20),
    "lastzero": (5, 10, 15),
    "fib": (3, 4, 5),
    "exp_mem": (5, 6, 7),
    "example": (1, 2, 3),
    "example_zreset": (1, 2, 3),
    "casrot": (4, 6, 8, 10),
    "bakery": (2, 3, 4),
}
_BOUNDED = {"ttas": ((2, 1), (2, 2)), "fastmutex": ((2, 1), (2, 2), (3, 1), (4, 1), (3, 2))}
_SINGLE = ("mp", "dekker", "peterson")


def reference_case(program: str, *, check: bool = False, **sizes: int) -> BenchCase:
    """A reference program under SC, its assertions dropped if it has any."""
    dropped = {"check": False} if program in CHECKED and not check else {}
    return BenchCase(source("examples/reference.py"), program, parameters(**sizes, **dropped), "sc")


def reference_cases(check: bool = False) -> list[BenchCase]:
    """All of them, under SC; with `check`, those that have assertions, and with them."""
    cases = [reference_case(program, check=check) for program in _SINGLE]
    for program, sizes in _BOUNDED.items():
        cases += [reference_case(program, check=check, n=n, b=b) for n, b in sizes]
    for program, numbers in _NUMBERS.items():
        cases += [reference_case(program, check=check, n=n) for n in numbers]
    return [case for case in cases if not check or case.program in CHECKED]


def is_checked(row: Mapping[str, Any]) -> bool:
    """Whether the program of a row has assertions, and has not dropped them."""
    return row["program"] in CHECKED and "check=False" not in row["parameters"]
