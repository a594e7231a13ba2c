"""`id` of objects that threads have made: another number for each, the same for all that get hold of one."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import identified

PROGRAMS = {
    name: each for name, each in vars(identified).items() if name.partition("_")[0] in ("lost", "kept", "refused")
}
SENTENCES = {
    "refused_value": "the address of a value is another one in every run",
    "refused_iterator": "what id\\(\\) is asked of: list_iterator is a list_iterator, which cannot be shared",
    "refused_after_a_deep_copy": "Python's library has asked it of",
    "refused_in_a_deep_copy": "Python's library has asked it of",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_those_of_objects(name: str) -> None:
    if name in SENTENCES:
        with pytest.raises(mcr.ModelError, match=SENTENCES[name]):
            mcr.check(PROGRAMS[name])
        return
    result = mcr.check(PROGRAMS[name])
    assert result.verdict.value == ("bug" if name.startswith("lost") else "verified")
    assert [each for each in result.assumed if each.startswith("id() orders objects in one way of many")]
