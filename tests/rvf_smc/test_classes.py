"""Theorem 2: all that threads can do is found, and each reads-value-from class is run at most once."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mcr
from examples import reference
from mcr.exploration.goals import DEADLOCKS, STATES
from mcr.explorers.registry import ALGORITHMS
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.maximal.families import FAMILIES, everything
from tests.maximal.random_programs import random_program
from tests.objectives.exploring import EVERYTHING
from tests.objectives.test_brute_force import REGRESSIONS
from tests.random_programs import RandomProgram
from tests.rvf_smc.agreement import Explored, differences

F = {"check": False}

REFERENCE = [
    reference.sb(n=3, **F),
    reference.mp(**F),
    reference.dekker(**F),
    reference.peterson(**F),
    reference.bakery(n=2, **F),
    reference.ttas(n=2, b=1, **F),
    reference.fastmutex(n=2, b=1, **F),
    reference.lastzero(n=3),
    reference.readers(n=4),
    reference.fib(n=2),
    reference.exp_mem(n=3),
    reference.casrot(n=4),
]

EVERYTHING_APART = replace(EVERYTHING, merge=False)

VARIANTS = [f"rvf-smc:{name}" for name in ALGORITHMS["rvf-smc"].variants if name != "paper"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", REFERENCE, ids=lambda program: program.title)
def test_reference_programs(program: mcr.Program, model: str) -> None:
    """As many local states as cover finds, and no class twice."""
    explored = Explored(program, model=MODELS[model])
    expected = mcr.check(program, model, objective="states", algorithm="cover", options=EVERYTHING_APART)
    assert explored.result.statistics.local_states == expected.statistics.local_states
    assert explored.result.verdict is expected.verdict
    assert max(explored.rvf.values()) == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs(family: str) -> None:
    found = {
        (seed, model): differences(random_program(seed, FAMILIES[family], length=2), limit=500, model=MODELS[model])
        for seed in range(amount(3, 100))
        for model in one_of(list(MODELS), f"{family} {seed}")
    }
    assert not any(found.values()), found
    decided = sum(each is not None for each in found.values())
    assert decided > len(found) / 2, "too many programs are too large for brute force"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", REGRESSIONS.values(), ids=REGRESSIONS)
def test_regressions(program: RandomProgram, model: str) -> None:
    assert not differences(program.build(), limit=3_000, model=MODELS[model])


@pytest.mark.parametrize("algorithm", VARIANTS)
def test_ablations_change_effort_and_nothing_else(algorithm: str) -> None:
    """Figure 11."""
    for family in ("accesses", "all"):
        for seed in range(3):
            assert not differences(random_program(seed, FAMILIES[family], length=2), 500, algorithm)
    program = reference.lastzero(n=3)
    whole, part = mcr.check(program, "sc", algorithm="rvf-smc"), mcr.check(program, "sc", algorithm=algorithm)
    assert part.statistics.executions == whole.statistics.executions
    assert dict(part.figures)["calls"] >= dict(whole.figures)["calls"]
    assert part.statistics.checks >= whole.statistics.checks


@pytest.mark.parametrize("model", MODELS)
def test_the_census_counts_its_executions(model: str) -> None:
    """Also where the final function reads: each execution is a class of its own, whatever the objective."""
    for program in (reference.fib(n=2), reference.sb(n=2), reference.lastzero(n=3)):
        for objective in ("states", "failures"):
            options = replace(EVERYTHING, census=True)
            result = mcr.check(program, model, objective=objective, algorithm="rvf-smc", options=options)
            assert dict(result.census)["rvf"] == result.statistics.executions


def test_shared_things_of_every_kind() -> None:
    assert differences(everything, limit=20_000) == ""
    assert set(mcr.check(everything, "sc", algorithm="rvf-smc").outcomes) == {"4", "5"}


def test_writes_of_one_value_are_one_class() -> None:
    """Section 3: the more writers of one value, the more classes by reads-from, and the fewer by values."""

    @mcr.program
    def writers(p, count=4):
        x = p.var("x", 0)
        for _ in range(count):
            p.thread(x.store, 1)
        p.thread(x.load)

    assert mcr.check(writers, "sc", objective="rf").statistics.executions == 5
    assert mcr.check(writers, "sc", algorithm="rvf-smc").statistics.executions == 2


@pytest.mark.parametrize(("takes_both", "deadlocks"), [(False, False), (True, True)])
def test_who_waits_for_ever(takes_both: bool, deadlocks: bool) -> None:
    """An execution in which updates wait is run, and a deadlock is found."""

    @mcr.program
    def philosophers(p):
        one, two = p.mutex("one"), p.mutex("two")

        def eat(first, second):
            with first, second:
                pass

        p.thread(eat, one, two)
        p.thread(eat, *((two, one) if takes_both else (one, two)))

    assert differences(philosophers, limit=1_000) == ""
    result = mcr.check(philosophers, "sc", objective=f"{STATES},{DEADLOCKS}", algorithm="rvf-smc")
    assert (result.verdict is mcr.Verdict.BUG) is deadlocks
