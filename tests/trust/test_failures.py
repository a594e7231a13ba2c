"""Threads that fail while graphs are visited: each is told of, with a past that shows it."""

from __future__ import annotations

import pytest
from hypothesis import given

from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import ExecutionGraph
from mcr.explorers.trust.schedule import schedule_of
from replay.code.terminals import Failed
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program, program
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.trace import Failure
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.behaviours import enumerate_behaviours
from tests.random_programs import PROFILES, RandomProgram, programs
from tests.trust.test_graphs import played, some_programs
from tests.trust.visiting import graphs


def told(source: Program, model: str) -> set[str]:
    """Messages of the failures that the explorer tells of, their pasts played; and of those before any operation."""
    unfolding = Unfolding(source)
    found: list[tuple[State, str]] = []

    def note(past: ExecutionGraph, failure: Failure) -> None:
        machine = played(unfolding, MODELS[model], schedule_of(past, MODELS[model]))
        info = unfolding.thread(failure.thread)
        assert info is not None
        failed = machine.states[info.index]
        assert isinstance(failed.terminal, Failed)
        assert Failure.of(failure.thread, failed.terminal) == failure
        assert failed not in [state for state, _ in found], "told twice"
        found.append((failed, failure.message))

    trust = Trust(unfolding, MODELS[model])
    for graph in graphs(trust):
        while trust.failures:
            note(*trust.failures.pop(0))
        for end in graph.ends:
            if isinstance(end.terminal, Failed) and end.entries:
                assert end in [state for state, _ in found], "it should have been told before"
    roots = [info.root.terminal for info in unfolding.threads]
    return {text for _, text in found} | {end.message for end in roots if isinstance(end, Failed)}


@program
def after_each_kind(p: Declarations) -> None:
    """A thread that fails after a store, after an update that writes, after one that does not, in an update, ..."""
    x, y, mutex = p.var("x", 0), p.var("y", 0), p.mutex("m")

    def stores() -> None:
        x.store(1)
        raise ValueError("after a store")

    def adds() -> None:
        raise ValueError(f"after an addition to {x.fetch_add(1)}")

    def compares() -> None:
        if not x.compare_exchange(1, 5):
            raise ValueError("after a comparison")

    def updates() -> None:
        y.update(divides)

    def locks() -> None:
        mutex.lock()
        raise ValueError("after a lock")

    def chooses() -> None:
        if p.choose(1, 2) == 2:
            raise ValueError("after a choice")

    for thread in (stores, adds, compares, updates, locks, chooses):
        p.thread(thread)


def divides(old: int) -> int:
    if old == 0:
        raise ZeroDivisionError("after an update")
    return 1 // old


@pytest.mark.parametrize("model", MODELS)
def test_after_each_kind_of_operation(model: str) -> None:
    assert told(after_each_kind, model) == {
        "after a store",
        "after an addition to 0",
        "after an addition to 1",
        "after an addition to 5",
        "after a comparison",
        "after an update",
        "after a lock",
        "after a choice",
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs(profile: str) -> None:
    decided = 0

    @some_programs
    @given(programs(profile))
    def agree(source: RandomProgram) -> None:
        nonlocal decided
        for model in one_of(list(MODELS), str(source)):
            expected = enumerate_behaviours(source.build(), MODELS[model], max_machine_states=1_000)
            if not expected.complete or source.final is not None:
                continue
            decided += 1
            assert told(source.build(), model) == {failure.message for failure in expected.failures}

    agree()
    assert decided >= amount(3, 60), "too many programs are too large, or have a final function"
