"""Programs of which the paper says that their classes stay few ([agarwal-2021] section 6)."""

from __future__ import annotations

import pytest

import mcr
from examples import rf_smc_paper, rvf_smc_paper


def _executions(program: mcr.Program, algorithm: str) -> int:
    objective = "rf" if algorithm == "rf-smc" else "states"
    options = mcr.Options(keep_going=True, shorten=False)
    return mcr.check(program, "sc", objective=objective, algorithm=algorithm, options=options).statistics.executions


@pytest.mark.parametrize(
    ("program", "classes"),
    [(rvf_smc_paper.monabsex1, 1), (rvf_smc_paper.reorder, 4), (rvf_smc_paper.singleton, 2)],
    ids=lambda each: getattr(each, "name", ""),
)
def test_as_many_however_far_unrolled(program: mcr.Program, classes: int) -> None:
    by_values = [_executions(program(n=n), "rvf-smc") for n in (2, 3, 4)]
    assert by_values == [classes] * 3
    by_source = [_executions(program(n=n), "rf-smc") for n in (2, 3, 4)]
    assert by_source == sorted({*by_source})
    assert by_source[0] > classes


def test_27_boop4_has_fewer_than_by_reads_from() -> None:
    program = rf_smc_paper.boop4(u=1, openers=2)
    assert _executions(program, "rvf-smc") < _executions(program, "rf-smc")
