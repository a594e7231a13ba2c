"""The counts of other checkers: complete executions of the reference programs without their assertions.

One execution per reads-from class is Nidhugg's `--sc --rf`; one per trace is
GenMC under SC and TSO (with `--disable-ipr` where the program has
assumptions) and Nidhugg's `--pso --source`. What is too large for a test
("-") is in results/peers.md.
"""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from tests.amount import amount

F = {"check": False}

QUESTIONS = (("rf", "sc"), ("traces", "sc"), ("traces", "tso"), ("traces", "pso"))

TABLE: list[tuple[mcr.Program, str]] = [
    (reference.sb(n=2, **F), "3 3 4 4"),
    (reference.sb(n=3, **F), "7 7 8 8"),
    (reference.sb(n=4, **F), "15 15 16 16"),
    (reference.mp(**F), "3 3 3 4"),
    (reference.dekker(**F), "2 2 10 20"),
    (reference.peterson(**F), "4 4 22 34"),
    (reference.bakery(n=2, **F), "9 9 28 128"),
    (reference.fastmutex(n=2, b=1, **F), "6 6 42 162"),
    (reference.fastmutex(n=2, b=2, **F), "12 16 52 240"),
    (reference.ttas(n=2, b=1, **F), "4 4 4 12"),
    (reference.ttas(n=2, b=2, **F), "8 8 8 24"),
    (reference.lastzero(n=5), "64 64 64 64"),
    (reference.readers(n=3), "8 8 8 8"),
    (reference.readers(n=5), "32 32 32 32"),
    (reference.readers(n=8), "256 256 256 256"),
    (reference.fib(n=3, **F), "141 141 175 175"),
    (reference.exp_mem(n=5), "240 240 240 240"),
    (reference.casrot(n=4), "14 14 14 14"),
    (reference.casrot(n=6), "144 144 144 144"),
    (reference.example(n=1, **F), "2 2 2 10"),
    (reference.example(n=2, **F), "45 45 45 -"),
    (reference.example_zreset(n=1, **F), "3 3 3 11"),
    (reference.example_zreset(n=2, **F), "50 50 50 -"),
]
"""Complete executions for each of `QUESTIONS`."""

SLOW: list[tuple[mcr.Program, str]] = [
    (reference.bakery(n=3, **F), "254 254 - -"),
    (reference.fastmutex(n=3, b=1, **F), "36 48 - -"),
]

CASES = [
    pytest.param(program, objective, model, int(cell), id=f"{program.title}-{objective}-{model}")
    for program, row in TABLE + amount([], SLOW)
    for (objective, model), cell in zip(QUESTIONS, row.split(), strict=True)
    if cell != "-"
]


@pytest.mark.parametrize(("program", "objective", "model", "complete"), CASES)
def test_complete_executions(program: mcr.Program, objective: str, model: str, complete: int) -> None:
    result = mcr.check(program, model, objective=objective)
    statistics = result.statistics
    assert result.verdict is mcr.Verdict.VERIFIED
    assert statistics.classes == complete
    assert statistics.executions == statistics.classes + statistics.blocked_classes
