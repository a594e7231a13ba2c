"""The search for a random program that is judged wrong."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

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
