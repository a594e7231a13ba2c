"""Executors, and the orders of sets of futures: what holds is verified, and what can fail fails on CPython as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.traces.loader import find_programs
from tests.ordinary import executors

RIGHT, BUGS, RETURNS = (
    [name for name in vars(executors) if name.startswith(kind)] for kind in ("right_", "bug_", "returns_")
)
ONE_OF_MANY = "large sets of objects, and those of Python's own library, are gone through in one order of many"


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_is_verified(name: str) -> None:
    result = mcr.check(vars(executors)[name])
    assert result.verdict is mcr.Verdict.VERIFIED
    goes_through_sets = name not in ("right_calls_in_order", "right_cancelled_or_not")
    assert (ONE_OF_MANY in result.assumed) is goes_through_sets


def test_a_set_with_a_name_is_refused() -> None:
    with pytest.raises(mcr.ModelError, match="iterable of deque is a set of objects, which has no order"):
        mcr.check(executors.refused_by_its_name)


@pytest.mark.parametrize("name", BUGS)
def test_what_can_fail_fails_on_cpython(name: str) -> None:
    program = next(find_programs(f"{executors.__file__}::{name}"))
    result = mcr.check(program)
    assert len(result.failures) == 1
    found = confirm(schedule_of(program, result.failures[0]))
    assert found.status == CONFIRMED, found.said


@pytest.mark.parametrize("name", RETURNS)
def test_all_that_python_returns_is_explored(name: str) -> None:
    returned = {repr((vars(executors)[name](),)) for _ in range(300)}
    merged, apart = (mcr.check(vars(executors)[name], objective="outcomes", merge=merge) for merge in (True, False))
    assert merged.verdict is apart.verdict is mcr.Verdict.VERIFIED
    assert returned <= {str(outcome) for outcome, _ in merged.witnesses}
    assert set(merged.outcomes) == set(apart.outcomes)


def test_an_order_does_not_depend_on_the_seed_of_hashes(tmp_path: Path) -> None:
    program = f"{executors.__file__}::bug_the_order_of_what_is_done"
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "mcr", "check", program, "--save", str(tmp_path / seed)]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False)
    (one,), (other,) = ([*(tmp_path / seed).iterdir()] for seed in ("1", "2"))
    assert one.read_text() == other.read_text()
