"""Expectations of the two engines that run ordinary classes, while there are two."""

from __future__ import annotations

from typing import TypeVar

import pytest

import mcr
from mcr import Verdict
from replay.code.switch import INTERPRETS_ORDINARY
from replay.frontend.program import Program
from tests.ordinary.test_objects import outcomes

T = TypeVar("T")


def both(old: T, new: T) -> T:
    """What is expected of the engine that runs."""
    return new if INTERPRETS_ORDINARY[0] else old


def refused_before(program: Program, sentence: str, found: set[str] | Verdict = Verdict.VERIFIED) -> str:
    """The old engine refuses a program, and returns where; the new one finds these outcomes, or this verdict."""
    if not INTERPRETS_ORDINARY[0]:
        with pytest.raises(mcr.ModelError, match=sentence) as raised:
            mcr.check(program, "sc")
        return raised.value.where
    if isinstance(found, Verdict):
        assert mcr.check(program, "sc").verdict is found
    else:
        assert outcomes(program) == found
    return ""
