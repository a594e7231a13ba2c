"""Findings about programs that share ordinary objects."""

from __future__ import annotations

import mcr
from replay.frontend.program import Program
from tests.ordinary.test_objects import outcomes


def finds(program: Program, found: set[str] | mcr.Verdict) -> None:
    """A program has these outcomes, or this verdict."""
    if isinstance(found, mcr.Verdict):
        assert mcr.check(program, "sc").verdict is found
    else:
        assert outcomes(program) == found
