"""What code has behind its names is memory, or refused where it is asked for: not where it is only spelled."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import mcr
from tests.ordinary import behind

PROGRAMS = {name: each for name, each in vars(behind).items() if name.partition("_")[0] in ("lost", "kept", "refused")}
ARE_COMPUTED = sys.version_info >= (3, 14)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_seen_or_refused(name: str) -> None:
    program: Callable[[], None] = PROGRAMS[name]
    how = name.partition("_")[0]
    if how == "refused" or (ARE_COMPUTED and ("annotations" in name or how == "kept")):
        with pytest.raises(
            mcr.ModelError, match=f"thread code uses {name.removeprefix('refused_')}" if how == "refused" else ""
        ):
            mcr.check(program)
    else:
        assert mcr.check(program).verdict.value == ("bug" if how == "lost" else "verified")


def test_nothing_of_it_is_written_to_the_host() -> None:
    for program in PROGRAMS.values():
        with_names = vars(behind), behind.one.__annotations__, behind.Annotated.__annotations__
        assert not any("X" in names for names in with_names), program
    assert "__annotations__" not in vars(behind.Plain)
