"""Shared containers of classes that say in Python how they are gone through: what threads see is what CPython has."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import odd


@pytest.mark.parametrize("kind", odd.KINDS)
def test_what_python_sees_is_what_its_class_says(kind: str) -> None:
    (outcome,) = mcr.check(odd.shared(kind=kind), "sc", objective="outcomes").outcomes
    assert outcome == repr(odd.seen(odd.KINDS[kind]))


def test_an_operator_that_makes_another_one_by_its_own_methods_is_refused() -> None:
    with pytest.raises(mcr.CheckerError, match="makes another OddOrderedDict by its own methods"):
        mcr.check(odd.joined, "sc")
