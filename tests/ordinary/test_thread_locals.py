"""`threading.local` and classes made from it: the interpreter and CPython agree."""

from __future__ import annotations

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import schedule_of
from replay.traces.loader import find_programs
from tests.ordinary import local_classes

RIGHT = {name: each for name, each in vars(local_classes).items() if name.startswith("right_")}


@pytest.mark.parametrize("name", RIGHT)
def test_what_cpython_does_is_verified(name: str) -> None:
    RIGHT[name]()
    assert mcr.check(RIGHT[name]).verdict.value == "verified"


@pytest.mark.parametrize("name", [name for name in vars(local_classes) if name.startswith("bug_")])
def test_failures_are_those_of_cpython(name: str) -> None:
    program = next(find_programs(f"{local_classes.__file__}::{name}"))
    found = confirm(schedule_of(program, mcr.check(program).failures[0]))
    assert found.status == CONFIRMED, found.said


def test_a_program_shares_one_before_threads_begin() -> None:
    @mcr.program
    def program(p):
        local = p.share(local_classes.Counting(1))
        local.n = 5

        def counts():
            assert local.up() == 3
            assert local.up() == 5

        p.thread(counts)
        p.thread(counts)

    assert mcr.check(program, "sc").verdict.value == "verified"


def test_a_dictionary_of_a_thread_that_is_shared_is_refused() -> None:
    @mcr.program
    def program(p):
        local = local_classes.Counting(1)
        kept: list[object] = p.share([])

        def keeps():
            kept.append(local.__dict__)
            local.up()

        p.thread(keeps)

    with pytest.raises(mcr.ModelError, match="the __dict__ that a thread has of local is shared: store a copy of it"):
        mcr.check(program, "sc")
