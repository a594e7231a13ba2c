"""Code first: steps that lead to known local states are known without an execution, and that comes to an end."""

from __future__ import annotations

import mcr
from mcr.api import open_session
from mcr.exploration.options import Options
from replay.world.memory_models import MODELS


@mcr.program
def counters(p: mcr.Declarations, n: int = 4) -> None:
    """Every value that an update reads breeds another one, and leads to the same local state."""
    x = p.var("x", 0)

    def thread() -> None:
        x.fetch_add(1)
        x.load()

    for _ in range(n):
        p.thread(thread)


def _foreseen(program: mcr.Program) -> tuple[mcr.Result, int]:
    session = open_session(program, MODELS["sc"], algorithm="cover", options=Options(max_executions=50))
    return session.explore(), len(session.context.unfolding.edges)


def test_no_value_takes_more_updates_than_there_are() -> None:
    """Without an end to that, nothing else would ever begin."""
    for n in (2, 4):
        result, edges = _foreseen(counters(n=n))
        assert result.complete
        assert result.statistics.executions == 1
        assert edges == n * n + n * (n + 1)  # each update reads 0 to n - 1, each load 0 to n
