"""How many local states the reference programs have: facts about the programs, known from brute force.

The numbers are those of the project's reference table; the ones for
fastmutex(4, 1) come from the first prototype of the engine. The slowest
programs run only if the environment variable MCR_SLOW is set.
"""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from mcr.exploration.options import Options
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of

F = {"check": False}

COUNTS: list[tuple[mcr.Program, tuple[int, int, int]]] = [
    (reference.sb(n=2, **F), (8, 8, 8)),
    (reference.sb(n=3, **F), (12, 12, 12)),
    (reference.sb(n=4, **F), (16, 16, 16)),
    (reference.mp(**F), (9, 9, 10)),
    (reference.readers(n=5), (17, 17, 17)),
    (reference.readers(n=10), (32, 32, 32)),
    (reference.readers(n=20), (62, 62, 62)),
    (reference.lastzero(n=5), (125, 125, 125)),
    (reference.fib(n=3, **F), (362, 366, 366)),
    (reference.exp_mem(n=5), (43, 43, 43)),
    (reference.exp_mem(n=6), (57, 57, 57)),
    (reference.exp_mem(n=7), (73, 73, 73)),
    (reference.example(n=1, **F), (11, 11, 21)),
    (reference.example(n=2, **F), (56, 56, 119)),
    (reference.example(n=3, **F), (209, 209, 596)),
    (reference.example_zreset(n=1, **F), (12, 12, 22)),
    (reference.example_zreset(n=2, **F), (50, 50, 130)),
    (reference.casrot(n=4), (14, 14, 14)),
    (reference.casrot(n=6), (27, 27, 27)),
    (reference.casrot(n=8), (44, 44, 44)),
    (reference.ttas(n=2, b=1, **F), (16, 16, 20)),
    (reference.ttas(n=2, b=2, **F), (40, 40, 52)),
    (reference.dekker(**F), (16, 22, 22)),
    (reference.peterson(**F), (26, 34, 34)),
    (reference.bakery(n=2, **F), (55, 61, 65)),
    (reference.bakery(n=3, **F), (513, 595, 691)),
    (reference.fastmutex(n=2, b=1, **F), (50, 56, 68)),
    (reference.fastmutex(n=2, b=2, **F), (86, 92, 164)),
    (reference.fastmutex(n=3, b=1, **F), (180, 219, 252)),
    (reference.fastmutex(n=4, b=1, **F), (472, 580, 652)),
]
"""Programs without their assertions, and the numbers under SC, TSO and PSO."""

SOLVED = 300
"""With fewer, the solver alone is asked of half of them, and of all if there is time."""

SLOW = [
    (reference.lastzero(n=10), (3181, 3181, 3181)),
    (reference.fib(n=4, **F), (2632, 2822, 2822)),
    (reference.fib(n=5, **F), (20468, 25162, 25162)),
]


CASES = [
    pytest.param(program, model, count, id=f"{program.title}-{model}")
    for program, counts in COUNTS + (amount([], SLOW))
    for model, count in zip(MODELS, counts, strict=True)
]


@pytest.mark.parametrize(("program", "model", "count"), CASES)
def test_local_states(program: mcr.Program, model: str, count: int) -> None:
    for algorithm in one_of(("auto", "cover"), f"{program.title}-{model}") if count < SOLVED else ("auto",):
        options = Options(merge=False)
        result = mcr.check(program, model, objective="states", algorithm=algorithm, options=options)
        assert result.verdict is mcr.Verdict.VERIFIED
        assert result.statistics.local_states == count
        assert result.statistics.executions <= count
