"""The values classes that are found are those of brute force, each by one execution."""

import pytest

from examples import mcr_paper, reference
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.maximal.brute_force import values_classes
from tests.maximal.exploring import explored
from tests.maximal.random_programs import random_program

FAMILIES = {
    "loads and stores": ("load", "load", "store", "store", "copy"),
    "fences": ("load", "store", "copy", "fence", "store_fence"),
    "rmw": ("load", "store", "rmw", "rmw"),
    "locks": ("load", "store", "lock"),
    "nested locks": ("nested", "load", "store"),
    "try_lock": ("load", "try_lock", "lock", "copy"),
    "waiting": ("wait_until", "store", "load", "copy"),
    "spawn and choose": ("spawn", "load", "store", "choose", "copy"),
    "conditions": ("wait", "notify", "load"),
}

each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def check(program, model):
    explorer = explored(program, model)
    truth = values_classes(explorer.unfolding, model, limit=20_000)
    if truth is None:
        return explorer
    assert explorer.classes == truth
    assert explorer.statistics.redundant == 0
    assert explorer.statistics.executions == len(truth)
    return explorer


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs(family):
    length = 2 if "wait" in FAMILIES[family] else 3
    for seed in range(amount(5, 10)):
        for model in one_of(list(MODELS.values()), f"{family} {seed}"):
            check(random_program(seed, FAMILIES[family], length=length), model)


@each_model
def test_a_load_changes_together_with_one_that_its_thread_feeds(model):
    """A retargeted load whose thread stores, whatever it read, what another decided load needs."""
    check(random_program(130, FAMILIES["loads and stores"]), model)


@each_model
def test_regions_that_are_cut_short(model):
    """A retargeted load inside a critical section, whose end only other traces show."""
    check(random_program(13, ("load", "store", "lock", "lock")), model)


PROGRAMS = [
    reference.sb(n=3, check=False),
    reference.mp(check=False),
    reference.exp_mem(n=4),
    reference.casrot(n=4),
    reference.ttas(b=2, check=False),
    reference.dekker(check=False),
    reference.peterson(check=False),
    reference.lastzero(n=3),
    mcr_paper.stack_unsafe(check=False),
    mcr_paper.string_buffer(check=False),
    mcr_paper.account(pairs=1, check=False),
    mcr_paper.allocation(size=2, check=False),
    mcr_paper.ping_pong(n=2, check=False),
]


@each_model
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
def test_programs_that_are_known(program, model):
    check(program, model)


@each_model
def test_published_seeds_reach_the_same_classes(model):
    for seed in range(10):
        program = random_program(seed, FAMILIES["loads and stores"], length=3)
        published = explored(program, model, variant="permutable")
        assert published.classes == values_classes(published.unfolding, model)


def test_two_runs_are_the_same():
    program = random_program(3, FAMILIES["rmw"])
    runs = [explored(program, MODELS["tso"]) for _ in range(2)]
    assert runs[0].figure("seeds tried") == runs[1].figure("seeds tried")
    assert list(runs[0].unfolding.states) != []
    assert [repr(state) for state in runs[0].unfolding.states] == [repr(state) for state in runs[1].unfolding.states]
