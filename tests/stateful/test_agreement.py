"""Global states against brute force: random programs, and those on which they once differed.

For more: `python -m tests.differential.campaign --algorithm stateful --objectives states failures outcomes deadlocks`.
"""

from __future__ import annotations

import pytest

import mcr
from examples import mcr_paper, reference
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.differential.search import Portion, search
from tests.random_programs import PROFILES, RandomProgram
from tests.support import compare

OBJECTIVES = ("states", "failures", "outcomes", "deadlocks")

PROGRAMS = amount(2, 100)
"""Random programs of each profile."""

REGRESSIONS = {
    "the final function waits for who was spawned and did not begin": RandomProgram(
        threads=((("store", "x", 1),), (("spawn", ()), ("spawn", ())))
    ),
}
"""Programs on which the two once disagreed."""


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs(profile: str) -> None:
    findings = search(Portion(profile, PROGRAMS, 20261123, OBJECTIVES, algorithm="stateful", by_turns=True))
    assert not findings.disagreement, findings.disagreement


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("program", REGRESSIONS.values(), ids=REGRESSIONS)
def test_regressions(program: RandomProgram, model: MemoryModel) -> None:
    found = compare(program.build(), model, OBJECTIVES, max_machine_states=20_000, algorithm="stateful")
    assert found.decided
    assert not found.differences, found.differences


@pytest.mark.parametrize("program", [mcr_paper.lamport, reference.fastmutex], ids=lambda program: program.title)
def test_runs_that_fail_are_held_against_the_axioms(program: Program) -> None:
    """Stores that a failure does not need wait when it comes; the axioms speak of stores that reach memory."""
    result = mcr.check(program, "pso", algorithm="stateful", options=Options(keep_going=True, paranoid=True))
    assert result.failures


def test_the_shortest_schedule_delays_no_store_that_need_not_be() -> None:
    """Of two threads that store and read the other's cell, one is delayed; the other's store may commit at once."""
    [failing] = mcr.check(reference.sb(n=2), "tso", algorithm="stateful").failures
    stored = [place for place, step in enumerate(failing.steps) if step.commit]
    at_once = [place for place in stored if failing.steps[place - 1].thread == failing.steps[place].thread]
    assert len(stored) == 2
    assert len(at_once) == 1


@pytest.mark.parametrize("model", MODELS)
def test_of_two_failures_in_one_run_each_has_its_own_shortest_schedule(model: str) -> None:
    @mcr.program
    def both_fail(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", 0)

        def divide() -> None:
            1 // x.load()

        def fail() -> None:
            y.load()
            raise ValueError(1)

        p.thread(divide)
        p.thread(fail)

    result = mcr.check(both_fail, model, algorithm="stateful", options=Options(keep_going=True))
    assert sorted(trace.failure.error for trace in result.failures if trace.failure) == [
        "ValueError",
        "ZeroDivisionError",
    ]
    assert all(len(trace.steps) <= 2 for trace in result.failures)


@pytest.mark.parametrize("algorithm", ["stateful", "auto"])
@pytest.mark.parametrize("threads", [1, 2])
def test_each_failure_of_a_choice_is_shown_by_its_own_schedule(threads: int, algorithm: str) -> None:
    """The schedule to the first is looked for while the next ones were not seen yet."""

    @mcr.program
    def fails(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def choose() -> None:
            x.store(p.choose(1, 2))
            raise ValueError(p.choose("a", "b", "c"))

        for _ in range(threads):
            p.thread(choose)

    for model in MODELS:
        failures = mcr.check(fails, model, algorithm=algorithm, options=Options(keep_going=True)).failures
        assert {failing.failure.message for failing in failures} == {"a", "b", "c"}
