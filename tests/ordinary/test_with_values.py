"""Shared objects of classes made from values: the interpreter and CPython agree."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import with_values

RIGHT = {name: each for name, each in vars(with_values).items() if name.startswith("right_")}


@pytest.mark.parametrize("name", RIGHT)
def test_what_cpython_does_is_verified(name: str) -> None:
    """CPython comes last: it has objects of modules once for all runs."""
    assert mcr.check(RIGHT[name]).verdict.value == "verified"
    RIGHT[name]()


def test_a_class_that_compares_in_a_way_of_its_own_is_refused() -> None:
    with pytest.raises(mcr.ModelError, match="of class Compared, made from int: it can be shared if"):
        mcr.check(with_values.refused_compared)
