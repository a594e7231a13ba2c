"""Every objective against brute force, on all examples that are small enough and on random programs.

Sets of classes are compared, not only their numbers; no class may be executed
twice, none may be executed in vain.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import mcr
from examples import reference
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.objectives.answers import LIMIT as ANSWERS_LIMIT
from tests.objectives.answers import Answer, cases
from tests.objectives.exploring import ALGORITHMS, OBJECTIVES, asked, differences, is_the_answer
from tests.random_programs import PROFILES, RandomProgram, programs

LIMIT = amount(800, 20_000)
"""Prefixes of executions that brute force may look at."""

RANDOM_PROGRAMS = amount(4, 1_000)
"""Per profile; each under one of the models, or under all if there is time."""

REFERENCE = [
    reference.sb(n=2, check=False),
    reference.sb(n=3, check=False),
    reference.mp(check=False),
    reference.readers(n=5),
    reference.lastzero(n=3),
    reference.fib(n=2),
    reference.exp_mem(n=4),
    reference.example(n=1, check=False),
    reference.example_zreset(n=1, check=False),
    reference.casrot(n=4),
    reference.ttas(n=2, b=2, check=False),
    reference.dekker(check=False),
]
"""Small enough under every model, once the assertions are dropped."""

REGRESSIONS = {
    "threads that are met after the final function": RandomProgram(
        threads=((("join", 1),), (("store", "x", 0), ("store", "z", 2), ("spawn", (("load", "x"),)))),
        final=("y", 0),
        joins=True,
    ),
    "threads that some executions know and others do not": RandomProgram(
        threads=((("store", "x", 1), ("spawn", ())), (("load", "x"), ("if", 1, (("spawn", ()),), ()))),
    ),
    "updates that read something new": RandomProgram(
        threads=(
            (("fetch_add", "x", 1), ("store", "y", "r")),
            (("fetch_add", "x", 1), ("load", "y")),
            (("compare_exchange", "x", 1, 2), ("load", "x")),
        ),
    ),
}
"""Programs on which an enumeration once went wrong, or would with a simpler rule."""

each_model = pytest.mark.parametrize("model", MODELS)


@pytest.mark.parametrize(
    ("program", "model", "expected"), [pytest.param(*rest, id=name) for name, *rest in cases("the engine")]
)
def test_examples_agree(program: mcr.Program, model: str, expected: Answer) -> None:
    case = f"{program.title}-{model}"
    for algorithm, objective in itertools.product(one_of(ALGORITHMS, case), one_of(OBJECTIVES, f"{case} in the table")):
        if not is_the_answer(program, model, algorithm, objective, expected):
            assert differences(program, model, ANSWERS_LIMIT, [objective]) == "", "as brute force says now"
            pytest.fail("the table of answers is not that of brute force: tests.objectives.answers makes it anew")


@each_model
@pytest.mark.parametrize("program", REFERENCE, ids=lambda program: program.title)
def test_reference_programs_agree(program: mcr.Program, model: str) -> None:
    assert differences(program, model, 4_000) == ""


@each_model
@pytest.mark.parametrize("program", REGRESSIONS.values(), ids=REGRESSIONS)
def test_regressions(program: RandomProgram, model: str) -> None:
    assert differences(program.build(), model, 20_000) == ""


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs_agree(profile: str) -> None:
    tried = decided = 0

    # Shrinking would look at all of that in each attempt; a program as found is small enough.
    @settings(
        max_examples=RANDOM_PROGRAMS,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(profile))
    def agree(program: RandomProgram) -> None:
        nonlocal tried, decided
        for model in one_of(list(MODELS), str(program)):
            tried += 1
            found = differences(program.build(), model, LIMIT, asked(f"{program}-{model}"))
            assert not found, found
            decided += found is not None

    agree()
    assert decided > tried / 3, "too many programs are too large for brute force"
