"""Each program of examples/published_controls.py fails if what TSO and PSO keep in order is swapped by hand."""

from __future__ import annotations

import pytest

import mcr
from tests.examples.test_examples import MODELS, PROGRAMS

CONTROLS = {name: program for name, program in PROGRAMS.items() if name.startswith("published_controls::")}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", CONTROLS.values(), ids=CONTROLS)
def test_fails_when_reordered(program: mcr.Program, model: str) -> None:
    assert mcr.check(program(reordered=True), model).verdict.value == "bug"
