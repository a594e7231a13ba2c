"""Nothing that code in C, or anything else, makes of types is taken for what it makes of numbers."""

from __future__ import annotations

import random

import pytest

import mcr
import replay.on_terms.instructions
from mcr.exploration.options import Options
from tests.amount import amount
from tests.bmc.faults import name_of_the_type
from tests.bmc.telling import CONSTRUCTS, callables, difference, functions


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_constructs(name: str) -> None:
    assert difference(CONSTRUCTS[name]) == ""


def test_callables_of_c_in_every_position() -> None:
    found = functions()
    assert len(callables()) > 800
    names = random.Random(0).sample(sorted(found), amount(60, 3_000))
    assert {name: line for name in names if (line := difference(found[name]))} == {}


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No instruction is looked at."""
    monkeypatch.setattr(replay.on_terms.instructions, "_places", lambda code: iter(()))
    monkeypatch.setattr(replay.on_terms.instructions, "_looked", {})


@pytest.mark.usefixtures("unguarded")
def test_without_the_guard_failures_are_missed() -> None:
    assert mcr.check(name_of_the_type, "sc", algorithm="bmc").verdict is mcr.Verdict.VERIFIED


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize("name", ["type", "is not", "a set that grows", "hash of an object"])
def test_runs_tell_what_a_guard_lets_pass(name: str) -> None:
    """What terms say of an execution is held against it, whoever guards them."""
    assert difference(CONSTRUCTS[name]) == ""


def test_what_terms_cannot_do_is_done_on_values() -> None:
    """More terms than are settled one by one."""

    @mcr.program
    def kinds(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def look() -> None:
            for _ in range(12):
                assert type(x.load()) is int
            assert x.load() != 3

        p.thread(look)

        def count() -> None:
            for value in range(4):
                x.store(value)

        p.thread(count)

    result = mcr.check(kinds, "sc", algorithm="bmc", options=Options(shorten=False))
    assert result.verdict is mcr.Verdict.BUG
