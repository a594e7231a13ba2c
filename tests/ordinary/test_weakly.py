"""Weak containers that threads share: objects that are there for certain, and those that may be gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.frontend.ownership.weak import _OF_CONTAINERS
from replay.traces.loader import find_programs
from tests.amount import one_of
from tests.desk import ROOT
from tests.ordinary import weakly

VERDICTS = {"bug": "bug", "right": "verified", "unknown": "incomplete"}
FUNCTIONS = {name: each for name, each in vars(weakly).items() if name.partition("_")[0] in VERDICTS}


@pytest.mark.parametrize(
    ("name", "python"), [(name, python) for name in FUNCTIONS for python in one_of(("free-threaded", "gil"), name)]
)
def test_verdicts(name: str, python: str) -> None:
    result = mcr.check(FUNCTIONS[name], python=python)
    assert result.verdict.value == VERDICTS[name.partition("_")[0]]
    if name.startswith("unknown_"):
        assert result.stop is not None
        assert "asks a weak reference for" in result.stop.reason


REPORT = f"{ROOT / 'tests/ordinary/reports/zoneinfo_cache.py'}::a_zone_is_made_while_the_cache_is_cleared"


@pytest.mark.parametrize(
    "target", [*(f"{weakly.__file__}::{name}" for name in FUNCTIONS if name.startswith("bug_")), REPORT]
)
def test_failures_are_those_of_python(target: str) -> None:
    program = next(find_programs(target))
    found = confirm(schedule_of(program, mcr.check(program).failures[0]))
    assert found.status == CONFIRMED, found.said


def test_what_tidies_up_is_named_and_silent(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mcr", "check", f"{weakly.__file__}::right_end_that_is_not_told"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    said = " ".join(done.stdout.split())
    assert "no object of class Ended is ever freed: what tidies up after it does not run" in said
    assert done.stderr == ""


def test_objects_that_code_compares_are_refused() -> None:
    with pytest.raises(mcr.ModelError, match="is known to a weak container, and Compared is compared by code"):
        mcr.check(weakly.refused_compared_by_code)


def test_what_takes_out_of_containers_is_known() -> None:
    """One function of each of the three."""
    assert len(_OF_CONTAINERS) == 3
