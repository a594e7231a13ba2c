"""Calls that travel take along what was scheduled for their prefixes, so two explorers run nothing twice."""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from tests.explorers.test_travel import Two


@pytest.mark.parametrize(
    "program",
    [reference.bakery(n=2, check=False), reference.exp_mem(n=4), reference.ttas(n=2, b=2, check=False)],
    ids=lambda program: program.title,
)
def test_two_share_the_schedules_of_a_prefix(program: mcr.Program) -> None:
    two = Two(program, "pso", "rf", "rf-smc")
    two.explore()
    for side in two.sides:
        (counted, *_) = side.explorer.claim().classes
        assert two.travelled == counted.complete + counted.blocked
