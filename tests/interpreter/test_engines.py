"""Thread code on the interpreter's frames, held against the engine that reads CPython's: the examples, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mcr
from replay.code.switch import INTERPRETS
from replay.traces.loader import find_all
from tests.desk import ROOT

MERGES_MORE = {"chase_lev_deque", "chase_lev_deque_x86", "chase_lev_deque_fenced"}
"""Programs of which the old engine gives some local states no key: those inside of `tuple(...)`."""

SHARE_OBJECTS = {"ordinary_classes"}
"""Files whose programs run on the old engine."""


def _programs() -> Iterator[Any]:
    for file in sorted(Path(ROOT / "examples").glob("*.py")):
        if file.stem not in SHARE_OBJECTS:
            for program in find_all(str(file)):
                if not isinstance(program, Exception):
                    yield pytest.param(program, id=f"{file.stem}-{program.name}")


def _told(program: Any, *, interprets: bool) -> tuple[Any, int]:
    """Verdict and failures of a program under PSO, and how many local states were found."""
    before = INTERPRETS[0]
    INTERPRETS[0] = interprets
    try:
        found = mcr.check(program, "pso")
    finally:
        INTERPRETS[0] = before
    failures = [(each.failure.message, each.failure.stack) for each in found.failures]
    return (found.verdict, failures), found.statistics.local_states


@pytest.mark.parametrize("program", list(_programs()))
def test_both_engines_tell_the_same(program: Any) -> None:
    old, states_before = _told(program, interprets=False)
    new, states = _told(program, interprets=True)
    assert new == old
    assert states < states_before if program.name in MERGES_MORE else states == states_before
