"""Keys of local states of interpreted code hold what the future of a thread depends on."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.options import Options
from replay.frontend.program import Program
from tests.local_state.look_alikes import PROGRAMS
from tests.local_state.test_look_alikes import REFUSED

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


@mcr.program
def numbers_of_lists(p: mcr.Declarations) -> None:
    x = p.var("x", 0)

    def ask() -> None:
        one, other = [1], [2]
        number = id(one)
        x.load()
        assert id(other) != number
        assert id(one) == number

    p.thread(ask)
    for value in (1, 2):
        p.thread(lambda value=value: x.store(value))


@mcr.program
def numbers_of_a_string_that_is_gone(p: mcr.Declarations) -> None:
    x = p.var("x", 0)

    def ask() -> int:
        text = "".join(map(str, range(100)))
        id(text)
        x.load()
        del text
        return id([1])

    p.thread(ask)
    for value in (1, 2):
        p.thread(lambda value=value: x.store(value))


@pytest.mark.parametrize("program", [numbers_of_lists, numbers_of_a_string_that_is_gone])
@pytest.mark.parametrize("merge", [True, False], ids=["merged", "apart"])
def test_what_id_has_told_is_known_to_copies_of_a_thread(program: Program, merge: bool) -> None:
    """Of a string that copies share nobody could tell when it is gone: such threads are run again."""
    result = mcr.check(program, "sc", options=Options(merge=merge, paranoid=True))
    assert result.verdict is mcr.Verdict.VERIFIED
