"""Bounded model checking and brute force say the same."""

from __future__ import annotations

import pytest

from tests.bmc.agreement import differences
from tests.bmc.random_programs import random_program
from tests.maximal.families import FAMILIES, everything
from tests.maximal.random_programs import random_program as accessing

MODELS = ("sc", "tso", "pso")


@pytest.mark.parametrize("model", MODELS)
def test_random_programs_that_compute(model: str) -> None:
    found = [differences(random_program(seed), model, 1_000) for seed in range(14)]
    assert not any(found), found
    assert sum(each is not None for each in found) >= 6, "too many programs are too large for brute force"


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs_of_every_kind(family: str) -> None:
    """Locks, conditions, waits, spawned threads: values that are no numbers."""
    for seed in range(3):
        found = differences(accessing(seed, FAMILIES[family], length=2), MODELS[seed], 1_000)
        assert not found, f"seed {seed}: {found}"


@pytest.mark.parametrize("solver", ["z3", "cadical153", "minisat22-eager"])
def test_other_solvers(solver: str) -> None:
    for seed in range(3):
        assert not differences(random_program(seed), "tso", 500, solver)


def test_shared_things_of_every_kind() -> None:
    assert differences(everything, "pso", 20_000) == ""
