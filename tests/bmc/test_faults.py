"""Programs that code on terms got wrong are right: by the default, and by bounded model checking alone."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.options import Options
from tests.amount import one_of
from tests.bmc.faults import BY_GLOBAL_STATES, INCOMPLETE, VERDICTS

CASES = [
    pytest.param(program, algorithm, model, id=f"{program.name}-{algorithm}-{model}")
    for program in VERDICTS
    for algorithm in one_of(("auto", "bmc"), program.name)
    for model in one_of(("sc", "tso", "pso"), program.name + algorithm)
]


@pytest.mark.parametrize(("program", "algorithm", "model"), CASES)
def test_programs(program: mcr.Program, algorithm: str, model: str) -> None:
    verdict = (BY_GLOBAL_STATES if algorithm == "auto" else {}).get(program, VERDICTS[program])
    options = Options(timeout=0.2 if verdict is INCOMPLETE else 60, shorten=False)
    assert mcr.check(program, model, algorithm=algorithm, options=options).verdict is verdict
