"""Programs that were once *verified*, as two local states were taken for one, fail."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcr
from replay.traces.loader import programs_in
from tests.local_state import once_merged
from tests.local_state.pairs import unless_refused

PROGRAMS = programs_in(Path(once_merged.__file__))


@pytest.mark.parametrize("algorithm", ["auto", "cover"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_nothing_is_merged_that_differs(program: mcr.Program, algorithm: str) -> None:
    with unless_refused(program.name):
        result = mcr.check(program, "sc", algorithm=algorithm, options=mcr.Options(shorten=False, keep_going=True))
        assert result.verdict is mcr.Verdict.BUG
        assert not result.told_apart
