"""Classes that the paper counts ([bui-2021] table 1), and smaller ones that brute force counts."""

from __future__ import annotations

import pytest

import mcr
from examples import rf_smc_paper
from mcr.exploration.options import Options


def _classes(program: mcr.Program, model: str, algorithm: str) -> int:
    options = Options(keep_going=True)
    (*_, rf) = (
        count.complete
        for count in mcr.check(program, model, objective="rf", algorithm=algorithm, options=options).classes
        if count.equivalence == "rf"
    )
    return rf


@pytest.mark.parametrize("algorithm", ["rf-smc", "trust"])
def test_27_boop4(algorithm: str) -> None:
    assert _classes(rf_smc_paper.boop4(u=1, openers=3), "sc", algorithm) == 2902


@pytest.mark.parametrize("algorithm", ["rf-smc", "trust", "cover"])
@pytest.mark.parametrize(("model", "classes"), [("sc", 31), ("tso", 39), ("pso", 45)])
def test_eratosthenes(algorithm: str, model: str, classes: int) -> None:
    assert _classes(rf_smc_paper.eratosthenes(n=8), model, algorithm) == classes
