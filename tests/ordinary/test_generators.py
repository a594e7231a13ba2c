"""Generators that threads share: verdicts for both kinds of Python, failures on its threads, refusals."""

from __future__ import annotations

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.traces.loader import find_programs
from tests.ordinary import generators

FUNCTIONS = {name: each for name, each in vars(generators).items() if name.startswith(("bug_", "right_"))}
REFUSED = {
    "refused_iterator_of_others": "is a generator with an iterator that is used elsewhere as well",
    "refused_while_it_runs": "thread code asks where",
}


@pytest.mark.parametrize("python", ["free-threaded", "gil"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_verdicts(name: str, python: str) -> None:
    result = mcr.check(FUNCTIONS[name], python=python)
    assert result.verdict.value == ("bug" if name.startswith("bug_") else "verified")


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("bug_")])
def test_failures_are_those_of_python(name: str) -> None:
    program = next(find_programs(f"{generators.__file__}::{name}"))
    found = confirm(schedule_of(program, mcr.check(program).failures[0]))
    assert found.status == CONFIRMED, found.said


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(mcr.ModelError, match=REFUSED[name]):
        mcr.check(getattr(generators, name))
