"""Theorem 3.3: every reads-from class of maximal executions is run, and none twice."""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from replay.code.running_thread import current_run
from replay.world.memory_models import MODELS
from replay.world.operation import Guard, Kind, Operation
from tests.amount import amount, one_of
from tests.maximal.families import FAMILIES, everything
from tests.maximal.random_programs import random_program
from tests.objectives.test_brute_force import REGRESSIONS
from tests.random_programs import RandomProgram
from tests.rf_smc.agreement import against_brute_force, against_graphs

F = {"check": False}

REFERENCE = [
    reference.sb(n=3, **F),
    reference.mp(**F),
    reference.dekker(**F),
    reference.peterson(**F),
    reference.bakery(n=2, **F),
    reference.ttas(n=2, b=2, **F),
    reference.fastmutex(n=2, b=1, **F),
    reference.lastzero(n=4),
    reference.readers(n=5),
    reference.fib(n=2),
    reference.exp_mem(n=4),
    reference.casrot(n=5),
    reference.example(n=1, **F),
    reference.example_zreset(n=1, **F),
]

each_model = pytest.mark.parametrize("model", MODELS)


@each_model
@pytest.mark.parametrize("program", REFERENCE, ids=lambda program: program.title)
def test_as_many_as_there_are_by_graphs(program: mcr.Program, model: str) -> None:
    assert against_graphs(program, model) == ""


@pytest.mark.parametrize("family", FAMILIES)
def test_those_of_brute_force_on_random_programs(family: str) -> None:
    found = {
        (seed, model): against_brute_force(random_program(seed, FAMILIES[family], length=2), model, limit=800)
        for seed in range(amount(5, 10))
        for model in one_of(list(MODELS), f"{family} {seed}")
    }
    assert not any(found.values()), found
    decided = sum(each is not None for each in found.values())
    assert decided >= len(found) / 2, "too many programs are too large for brute force"


@mcr.program
def stored_under_a_guard(p: mcr.Declarations) -> None:
    """An update that waits for what another thread stores: no thing of ours does so, one of an extension could."""
    x = p.var("x", 1)

    def taker() -> None:
        guard = Guard(lambda value: value >= 1)
        seen = current_run().perform(
            Operation(Kind.UPDATE, x.location, update=lambda _: 0, ready=guard, label="take()")
        )
        assert seen != 2

    p.thread(taker)
    p.thread(lambda: x.store(2))


@each_model
def test_a_rival_that_is_no_update_is_refused(model: str) -> None:
    assert mcr.check(stored_under_a_guard, model, algorithm="trust-rf").verdict is mcr.Verdict.BUG
    with pytest.raises(mcr.ModelError, match=r"test_classes.py:\d+: rf-smc knows no plain store.* as 'x = 2'"):
        mcr.check(stored_under_a_guard, model, algorithm="rf-smc")


@pytest.mark.parametrize("program", REGRESSIONS.values(), ids=REGRESSIONS)
def test_regressions(program: RandomProgram) -> None:
    assert not against_brute_force(program.build(), "pso", limit=3_000)


@each_model
def test_shared_things_of_every_kind(model: str) -> None:
    assert against_graphs(everything, model) == ""
    found = mcr.check(everything, model, algorithm="rf-smc")
    assert found.verdict is mcr.Verdict.VERIFIED
    assert set(found.outcomes) == {"4", "5"}


def test_the_final_function_is_run_in_all_ways_unless_classes_are_counted() -> None:
    """Two stores that nobody else reads: one class, and two outcomes."""

    @mcr.program
    def writers(p):
        x = p.var("x", 0)
        p.thread(x.store, 1)
        p.thread(x.store, 2)
        p.final(x.load)

    classes = mcr.check(writers, "tso", objective="rf", algorithm="rf-smc")
    assert classes.statistics.executions == 1
    assert not classes.complete
    states = mcr.check(writers, "tso", algorithm="rf-smc")
    assert states.complete
    assert states.statistics.executions == 2
    assert set(states.outcomes) == {"1", "2"}


def test_the_checks_that_it_asks_are_counted() -> None:
    for variant in ("rf-smc", "rf-smc:no-closure"):
        result = mcr.check(reference.sb(n=2, **F), "sc", objective="rf", algorithm=variant)
        assert (result.statistics.checks, result.statistics.realizable) == (3, 2)
        assert 0 < result.statistics.checking < result.statistics.seconds
        assert dict(result.figures) == {"redundant executions": 0}
