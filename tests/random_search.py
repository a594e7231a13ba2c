"""The search for a random program that is judged wrong."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from replay.frontend.program import Program
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.amount import one_of
from tests.random_programs import RandomProgram, programs


def search(profile: str, count: int, seed: int, judge: Callable[[RandomProgram], None]) -> str:
    """Judge so many programs of a profile, always the same for the same seed, up to the first that is wrong.

    Returns "", or what `judge` raised for the shrunk program, which it was called with last.
    """

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(programs(profile))
    def is_right(program: RandomProgram) -> None:
        judge(program)

    try:
        is_right()
    except Exception as error:
        return "".join(traceback.format_exception_only(error)).strip()
    return ""


def assert_agree(
    profile: str, count: int, seed: int, disagreement: Callable[[Program, MemoryModel], str | None]
) -> None:
    """Fail if there is a disagreement on one of so many programs, or if few can be decided.

    Each program is looked at under one of the models, other programs under others; under all if there is time.

    A disagreement is told in words; "" for none, None if the program is too large to be decided.
    """
    looked_at = decided = 0

    def judge(program: RandomProgram) -> None:
        nonlocal looked_at, decided
        for model in one_of(list(MODELS.values()), repr(program)):
            looked_at += 1
            differs = disagreement(program.build(), model)
            assert not differs, f"{program!r} under {model.name}: {differs}"
            decided += differs is not None

    wrong = search(profile, count, seed, judge)
    assert not wrong, wrong
    assert decided > looked_at / 3
