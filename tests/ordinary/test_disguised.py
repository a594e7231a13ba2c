"""The checker asks objects of users nothing by itself: `__class__` and `__getattribute__` run where code asks."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import disguised

FUNCTIONS = {name: each for name, each in vars(disguised).items() if name.partition("_")[0] in ("a", "an", "nobody")}


@pytest.mark.parametrize("python", ["free-threaded", "gil"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_as_in_python(name: str, python: str) -> None:
    FUNCTIONS[name]()
    assert mcr.check(FUNCTIONS[name], python=python).verdict is mcr.Verdict.VERIFIED
    assert disguised.ASKED == []
