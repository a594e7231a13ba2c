"""Two histories that differ are never taken for one, however few look at the difference: every bug is found."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.options import Options
from tests.local_state.look_alikes import PROGRAMS
from tests.local_state.pairs import unless_refused


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("merge", [True, False], ids=["merged", "apart"])
def test_its_bug_is_found(name: str, merge: bool) -> None:
    with unless_refused(name):
        result = mcr.check(PROGRAMS[name], "sc", options=Options(shorten=False, merge=merge))
        assert result.verdict is mcr.Verdict.BUG
