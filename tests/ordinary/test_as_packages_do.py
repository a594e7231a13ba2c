"""What stood in the way of packages, each in a few lines."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import as_packages_do

PROGRAMS = {name: each for name, each in vars(as_packages_do).items() if name.partition("_")[0] in ("lost", "kept")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_what_python_does(name: str) -> None:
    assert mcr.check(PROGRAMS[name]).verdict.value == ("bug" if name.startswith("lost") else "verified")
