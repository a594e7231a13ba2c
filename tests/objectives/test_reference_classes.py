"""How many classes of values the reference programs have: complete and blocked, under SC, TSO and PSO.

Facts about the programs, from brute force ("-":
too large for it). Rows that take longer than a second run only if the
environment variable MCR_SLOW is set; fib(5) takes minutes then, and under TSO and PSO (19404/0) a quarter of an hour.
"""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from replay.world.memory_models import MODELS
from tests.amount import amount

F = {"check": False}

TABLE: list[tuple[mcr.Program, str]] = [
    (reference.sb(n=2, **F), "3/0 4/0 4/0"),
    (reference.sb(n=3, **F), "7/0 8/0 8/0"),
    (reference.sb(n=4, **F), "15/0 16/0 16/0"),
    (reference.mp(**F), "3/0 3/0 4/0"),
    (reference.readers(n=5), "32/0 32/0 32/0"),
    (reference.readers(n=10), "1024/0 1024/0 1024/0"),
    (reference.lastzero(n=5), "64/0 64/0 64/0"),
    (reference.fib(n=3, **F), "141/0 175/0 175/0"),
    (reference.exp_mem(n=5), "240/0 240/0 240/0"),
    (reference.example(n=1, **F), "2/0 2/0 10/0"),
    (reference.example(n=2, **F), "21/0 21/0 59/0"),
    (reference.example(n=3, **F), "85/0 85/0 284/0"),
    (reference.example_zreset(n=1, **F), "2/0 2/0 10/0"),
    (reference.example_zreset(n=2, **F), "16/0 16/0 68/0"),
    (reference.casrot(n=4), "14/0 14/0 14/0"),
    (reference.casrot(n=6), "144/0 144/0 144/0"),
    (reference.ttas(n=2, b=1, **F), "1/4 1/4 3/4"),
    (reference.ttas(n=2, b=2, **F), "5/4 5/4 11/4"),
    (reference.dekker(**F), "1/3 3/3 3/3"),
    (reference.peterson(**F), "3/5 9/5 9/5"),
    (reference.bakery(n=2, **F), "6/11 10/19 14/19"),
    (reference.bakery(n=3, **F), "121/717 - -"),
    (reference.fastmutex(n=2, b=1, **F), "3/14 5/14 9/18"),
    (reference.fastmutex(n=2, b=2, **F), "9/8 11/8 29/12"),
]

SLOW: list[tuple[mcr.Program, str]] = [
    (reference.fastmutex(n=3, b=1, **F), "7/921 - -"),
    (reference.casrot(n=8), "2048/0 2048/0 2048/0"),
    (reference.exp_mem(n=6), "1440/0 - -"),
    (reference.exp_mem(n=6), "- 1440/0 1440/0"),
    (reference.fastmutex(n=3, b=1, **F), "- 49/1520 -"),
    (reference.lastzero(n=10), "3328/0 - -"),
    (reference.fib(n=4, **F), "1107/0 1764/0 1764/0"),
    (reference.fib(n=5, **F), "8953/0 - -"),
    (reference.exp_mem(n=7), "10080/0 10080/0 10080/0"),
]

CASES = [
    pytest.param(program, model, cell, id=f"{program.title}-{model}")
    for program, row in TABLE + (amount([], SLOW))
    for model, cell in zip(MODELS, row.split(), strict=True)
    if cell != "-"
]


@pytest.mark.parametrize(("program", "model", "cell"), CASES)
def test_values(program: mcr.Program, model: str, cell: str) -> None:
    result = mcr.check(program, model, objective="values")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.classes == (("values", *map(int, cell.split("/"))),)
    assert result.statistics.executions == sum(map(int, cell.split("/")))
    assert result.statistics.redundant == 0
