"""Nothing that code in C, or anything else, makes of types is taken for what it makes of numbers."""

from __future__ import annotations

import random

import pytest

import mcr
from mcr.exploration.options import Options
from replay.interpreter.execution import MAKERS
from replay.on_terms.checked import CHECKED, UNCHECKED, compiled_on_terms
from replay.on_terms.frames import OnTerms
from tests.amount import amount
from tests.bmc.faults import int_add
from tests.bmc.telling import CONSTRUCTS, Pair, callables, difference, functions


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_constructs(name: str) -> None:
    assert difference(CONSTRUCTS[name]) == ""


def test_callables_of_c_in_every_position() -> None:
    found = functions()
    assert len(callables()) > 800
    names = random.Random(0).sample(sorted(found), amount(60, 3_000))
    assert {name: line for name in names if (line := difference(found[name]))} == {}


@pytest.mark.parametrize("name", ["type", "is a number", "index", "f-string", "keys", "hash of an object"])
def test_constructs_beside_ordinary_objects(name: str) -> None:
    """Where code shares ordinary objects, it is told no less."""
    assert difference(CONSTRUCTS[name], ordinary=True) == ""


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code is given symbols."""
    monkeypatch.setattr(OnTerms, "asks", lambda *_: False)


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize("name", ["index", "keys", "a set that grows", "hash of an object"])
def test_runs_tell_what_a_guard_lets_pass(name: str) -> None:
    """What terms say of an execution is held against it, whoever guards them."""
    assert difference(CONSTRUCTS[name]) == ""


@pytest.mark.usefixtures("unguarded")
def test_without_the_guard_failures_are_missed() -> None:
    assert mcr.check(int_add, "sc", algorithm="bmc").verdict is mcr.Verdict.VERIFIED


def test_every_instruction_is_known_on_terms() -> None:
    """Each passes symbols on, or is written for them."""
    compiled_on_terms(test_constructs.__code__)
    assert not UNCHECKED & CHECKED.keys()
    assert UNCHECKED | CHECKED.keys() >= MAKERS.keys()


def test_what_terms_cannot_do_is_done_on_values() -> None:
    """More terms than are settled one by one."""

    @mcr.program
    def kinds(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", None)

        def look() -> None:
            for _ in range(12):
                y.store(Pair(x.load()))
            assert x.load() != 3

        p.thread(look)

        def count() -> None:
            for value in range(4):
                x.store(value)

        p.thread(count)

    result = mcr.check(kinds, "sc", algorithm="bmc", options=Options(shorten=False))
    assert result.verdict is mcr.Verdict.BUG


def test_what_frames_refuse_is_done_on_values() -> None:
    """Native code that the interpreter does not know, where CPython runs code on values."""
    assert not difference(functions()["pickle, reduced"])
