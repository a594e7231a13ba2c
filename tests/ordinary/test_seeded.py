"""A generator of random numbers with a seed draws in threads what it draws on CPython; without one it is refused."""

from __future__ import annotations

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.traces.loader import find_programs
from tests.ordinary import seeded

SAME = ("one_of_its_own", "shared_by_two", "shared_and_set_back", "shared_and_of_a_class")
REFUSED = {
    "refused_without_a_seed": "uses random of a generator without a seed, which draws another number in each run",
    "refused_seeded_with_none": "uses getrandbits of a generator without a seed",
    "refused_unprepared": "uses getstate of a generator without a seed",
    "refused_shared_without_a_seed": "uses random of a generator without a seed",
    "refused_of_a_module": "_of_module, which draws numbers for all runs",
}


@pytest.mark.parametrize("name", SAME)
def test_it_draws_what_it_draws_on_cpython(name: str) -> None:
    vars(seeded)[name]()
    assert mcr.check(vars(seeded)[name]).verdict is mcr.Verdict.VERIFIED


@pytest.mark.parametrize("algorithm", ["stateful", "exhaustive", "cover"])
def test_draws_of_two_threads_are_found_in_both_orders(algorithm: str) -> None:
    result = mcr.check(seeded.fails_after_a_draw, "sc", algorithm=algorithm)
    assert result.verdict is mcr.Verdict.BUG


def test_a_failure_is_played() -> None:
    program = next(find_programs(f"{seeded.__file__}::fails_after_a_draw"))
    found = confirm(schedule_of(program, mcr.check(program).failures[0]))
    assert found.status == CONFIRMED, found.said


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_seed_determines_is_refused(name: str) -> None:
    with pytest.raises(mcr.ModelError) as refused:
        mcr.check(vars(seeded)[name])
    assert REFUSED[name] in refused.value.message
