"""Random draws of threads are choices: all that CPython draws, and nothing else."""

from __future__ import annotations

import random

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.traces.loader import find_programs
from tests.amount import one_of
from tests.ordinary import chance

DRAWS = {name: each for name, each in vars(chance).items() if name.startswith("draws_")}
REFUSED = {
    "refused_a_real_number": "thread code uses random.random, which draws numbers for all runs",
    "refused_many_numbers": "thread code draws one of 100 numbers at random, and 16 are what is explored",
    "refused_a_seed": "thread code uses random.seed, which draws numbers for all runs",
    "refused_an_attribute": "thread code changes the generator of the module random, which all runs have",
}


@pytest.mark.parametrize(
    ("name", "python"), [(name, python) for name in DRAWS for python in one_of(("free-threaded", "gil"), name)]
)
def test_all_that_python_draws_is_explored(name: str, python: str) -> None:
    drawn = {repr((DRAWS[name](),)) for _ in range(300)}
    result = mcr.check(DRAWS[name], python=python, objective="outcomes")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert {str(outcome) for outcome, _ in result.witnesses} == drawn


def test_a_failure_is_played_with_its_draws() -> None:
    program = next(find_programs(f"{chance.__file__}::bug_two_draw_the_same"))
    result = mcr.check(program)
    assert len(result.failures) == 1
    found = confirm(schedule_of(program, result.failures[0]))
    assert found.status == CONFIRMED, found.said


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_choice_is_refused(name: str) -> None:
    before = random.getstate()
    with pytest.raises(mcr.ModelError) as refused:
        mcr.check(vars(chance)[name])
    assert REFUSED[name] in refused.value.message
    assert random.getstate() == before
