"""Bounded model checking and brute force say the same."""

from __future__ import annotations

import pytest

import mcr
from examples.coordination import connection_pool
from tests.amount import amount, one_of
from tests.bmc.agreement import differences
from tests.bmc.random_programs import random_program
from tests.maximal.families import FAMILIES, everything
from tests.maximal.random_programs import random_program as accessing

MODELS = ("sc", "tso", "pso")


def test_random_programs_that_compute() -> None:
    found = [
        differences(random_program(seed), model, 1_000)
        for seed in range(10)
        for model in one_of(MODELS, f"{seed} that computes")
    ]
    assert not any(found), found
    assert sum(each is not None for each in found) >= 4, "too many programs are too large for brute force"


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs_of_every_kind(family: str) -> None:
    """Locks, conditions, waits, spawned threads: values that are no numbers."""
    for seed in range(3):
        found = differences(accessing(seed, FAMILIES[family], length=2), MODELS[seed], 1_000)
        assert not found, f"seed {seed}: {found}"


@pytest.mark.parametrize("solver", ["z3", "cadical153", "glucose4"])
def test_other_solvers(solver: str) -> None:
    for seed in range(3):
        assert not differences(random_program(seed), "tso", 500, solver)


def test_shared_things_of_every_kind() -> None:
    assert differences(everything, "pso", 20_000) == ""


@pytest.mark.parametrize("model", MODELS)
def test_an_update_of_a_number_waits_for_what_it_needs(model: str) -> None:
    """The places of a semaphore are a number, and who comes when there is none has to wait."""
    assert differences(connection_pool(clients=2, connections=1), model, 5_000) == ""


@mcr.program
def impatient(p: mcr.Declarations) -> None:
    """Values tell that an exchange of 2 for 2 is no news; terms do not."""
    state, inside = p.var("state", 0), p.var("inside", 0)

    def thread(me: int) -> None:
        while state.exchange(2) != 0:
            pass
        inside.store(me)
        assert inside.load() == me
        state.store(0)

    p.thread(thread, 1)
    p.thread(thread, 2)


@pytest.mark.parametrize("model", amount(("sc",), MODELS))  # nine seconds under PSO
def test_a_turn_that_only_values_strike_out(model: str) -> None:
    assert differences(impatient, model, 5_000) == ""
