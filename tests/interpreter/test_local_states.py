"""Keys of local states of interpreted code hold what the future of a thread depends on."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.options import Options
from tests.local_state.look_alikes import PROGRAMS
from tests.local_state.test_look_alikes import REFUSED

pytestmark = pytest.mark.usefixtures("frames")

ENDS = [name for name in PROGRAMS if name.startswith("end_in_")]
"""A variable that nobody reads any more holds a generator, which stores something when it is closed."""


COPIED = [
    name
    for name in PROGRAMS
    if name.startswith(("alias_", "order_", "hash_kept_", "turns_counted_", "attribute_")) and name not in REFUSED
]
"""What a copy of a thread must have as its original has it; such threads, or those that cannot be copied."""


@pytest.mark.parametrize("name", [*ENDS, *COPIED])
@pytest.mark.parametrize("merge", [True, False], ids=["merged", "apart"])
def test_its_bug_is_found(name: str, merge: bool) -> None:
    result = mcr.check(PROGRAMS[name], "sc", options=Options(shorten=False, merge=merge))
    assert result.verdict is mcr.Verdict.BUG
