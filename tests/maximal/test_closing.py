"""Executions that no seed leads to: the closing formula proposes them, and *verified* rests on it."""

import pytest

import mcr
from examples import dining_philosophers, lamport_fast_mutex, mcr_paper, reference
from mcr.exploration.verdict import Verdict
from mcr.explorers.maximal_causality.phi import PAPER
from replay.world.memory_models import MODELS
from tests.maximal.brute_force import values_classes
from tests.maximal.exploring import Exploration
from tests.maximal.random_programs import random_program
from tests.random_programs import RandomProgram

each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def explored(program, model, **options):
    exploration = Exploration(program, model, keep_going=True, shorten=False, **options)
    return exploration, exploration.explore()


def check(program, model, **options):
    explorer, result = explored(program, model, **options)
    assert explorer.classes == values_classes(explorer.unfolding, model)
    assert explorer.statistics.redundant == 0
    assert result.complete
    return explorer


@pytest.mark.parametrize("solver", ["minisat22", "z3"])
def test_the_fenced_fast_mutex(solver):
    """Both contend, one reads the other's x, and both enter: of its 20 classes, seeds from single traces miss one."""
    explorer = check(lamport_fast_mutex.fast_mutex_fenced, MODELS["pso"], solver=solver)
    assert len(explorer.classes) == 20
    assert explorer.figure("executions proposed by the closing formula only") > 0


@each_model
def test_a_deadlock_differs_in_no_load(model):
    explorer = check(dining_philosophers.dining_philosophers, model)
    assert explorer.figure("executions proposed by the closing formula only") == 1


@each_model
def test_threads_that_wait_for_a_mutex_that_is_never_given_back(model):
    check(random_program(16, ("load", "lock", "assume_in_lock", "try_lock", "copy")), model)


@each_model
def test_who_has_a_mutex_cannot_take_it_again(model):
    """notify_all takes the mutex of its condition, so its thread waits for itself; no seed may take it twice."""
    check(RandomProgram(((("store", "x", 1),), (("lock", "m", (("notify_all",),)),))).build(), model)


@each_model
def test_what_the_final_function_reads_belongs_to_the_class(model):
    @mcr.program
    def racing_stores(p):
        x = p.var("x", 0)
        for value in (1, 2):
            p.thread(x.store, value)
        p.final(x.load)

    assert len(check(racing_stores, model).classes) == 2


@each_model
def test_the_final_function_waits_for_threads_that_were_spawned(model):
    @mcr.program
    def perhaps_a_child(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def parent():
            if x.load():
                p.spawn(y.store, 1)

        p.thread(parent)
        p.thread(x.store, 1)
        p.final(y.load)

    assert len(check(perhaps_a_child, model).classes) == 2


def test_the_papers_encoding_runs_nothing_but_its_seeds():
    """What its seeds miss makes the verdict incomplete; under SC nothing but the seeds can."""
    explorer, result = explored(dining_philosophers.dining_philosophers, MODELS["sc"], variant=PAPER)
    assert explorer.figure("executions proposed by the closing formula only") == 0
    assert explorer.classes < values_classes(explorer.unfolding, MODELS["sc"])
    assert not result.complete
    assert "paper's encoding" in result.stop.reason


def test_the_papers_encoding_verifies_where_nothing_is_left():
    assert explored(reference.mp(check=False), MODELS["tso"], variant=PAPER)[1].verdict is Verdict.VERIFIED


def test_a_seed_is_run_only_if_it_leads_to_an_unseen_class():
    reduced, _ = explored(mcr_paper.dekker(check=False), MODELS["sc"])
    published, _ = explored(mcr_paper.dekker(check=False), MODELS["sc"], variant="permutable")
    assert reduced.statistics.redundant == 0 < published.statistics.redundant
    assert reduced.figure("seeds skipped") > 0
    assert len(reduced.classes) == len(published.classes)


def test_a_time_limit_holds_while_the_formula_is_asked():
    _, result = explored(mcr_paper.lamport(check=False), MODELS["pso"], timeout=0.3)
    assert "time limit" in result.stop.reason
