"""Executions that stop where a wait fails are told only where a thread can wait for ever, or an assumption fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.diagnosis.compare import compare
from mcr.exploration.options import Options
from mcr.exploration.verdict import ClassCount
from replay.world.memory_models import MODELS


@mcr.program
def goes_on(p):  # type: ignore[no-untyped-def]
    """The waiting thread always goes on, as y becomes 1."""
    y = p.var("y", 0)
    p.thread(y.store, 1)
    p.thread(lambda: p.wait_until(lambda: y.load() == 1))


@mcr.program
def spins(p):  # type: ignore[no-untyped-def]
    """The same by a loop."""
    y = p.var("y", 0)

    def waits():
        while y.load() == 0:
            pass

    p.thread(y.store, 1)
    p.thread(waits)


@mcr.program(deadlocks=False)
def waits_for_ever(p):  # type: ignore[no-untyped-def]
    """The waiting thread is late if y is 2 in the end."""
    y = p.var("y", 0)
    p.thread(y.store, 1)
    p.thread(y.store, 2)
    p.thread(lambda: p.wait_until(lambda: y.load() == 1))


@mcr.program
def assumes(p):  # type: ignore[no-untyped-def]
    y = p.var("y", 0)
    p.thread(y.store, 1)
    p.thread(lambda: p.assume(y.load() == 1))


def _told(program: Any, model: str, objective: str, explored: Callable[..., mcr.Result] = mcr.check) -> list[int]:
    result = explored(program, model, objective=objective)
    assert result.verdict is mcr.Verdict.VERIFIED
    return [count.blocked for count in result.shown_classes]


@pytest.mark.parametrize("objective", ["rf", "traces", "values"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", [goes_on, spins], ids=lambda program: program.name)
def test_none_is_told_where_no_thread_waits_for_ever(program: Any, model: str, objective: str) -> None:
    assert set(_told(program, model, objective)) == {0}


@pytest.mark.parametrize("objective", ["rf", "traces", "values"])
@pytest.mark.parametrize("program", [waits_for_ever, assumes], ids=lambda program: program.name)
def test_they_are_told_where_one_does(program: Any, objective: str) -> None:
    assert all(_told(program, "sc", objective))


def test_a_comparison_tells_the_same() -> None:
    assert {figures.rf for figures in compare(goes_on, Options()).figures} == {(1, 0)}
    assert all(figures.rf is not None and figures.rf[1] for figures in compare(waits_for_ever, Options()).figures)


def test_what_is_counted_stays() -> None:
    """Peers count these executions, too."""
    assert mcr.check(goes_on, "sc", objective="rf").classes[0] == ClassCount("rf", 1, 1)
