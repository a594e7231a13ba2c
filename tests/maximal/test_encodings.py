"""Store forwarding: what the paper's encoding misses (docs/semantics.md 4)."""

import pytest

import mcr
from mcr.explorers.maximal_causality.phi import PAPER
from replay.world.memory_models import MODELS
from tests.maximal.brute_force import values_classes
from tests.maximal.exploring import Exploration
from tests.maximal.random_programs import random_program


@mcr.program
def forwarding(p):
    """x=1; r1=x; r2=y || y=1; r3=y; r4=x, with r1=1, r2=0, r3=1, r4=0 under TSO."""
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        return mine.load(), other.load()

    threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

    @p.final
    def read():
        return tuple(thread.join() for thread in threads)


def explored(program, model, encoding):
    exploration = Exploration(program, MODELS[model], keep_going=True, variant=encoding)
    return exploration, exploration.explore()


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_only_the_complete_encoding_finds_what_needs_the_buffer(model):
    needs_buffer = "((1, 0), (1, 0))"
    assert needs_buffer in explored(forwarding, model, "")[1].outcomes
    assert needs_buffer not in explored(forwarding, model, PAPER)[1].outcomes


def test_under_sc_there_is_no_difference():
    assert explored(forwarding, "sc", "")[1].outcomes == explored(forwarding, "sc", PAPER)[1].outcomes


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_the_paper_misses_classes(model):
    explorer, _ = explored(forwarding, model, PAPER)
    assert explorer.classes < values_classes(explorer.unfolding, MODELS[model])


def test_the_paper_invents_none():
    for seed in range(20):
        explorer, _ = explored(random_program(seed, ("load", "store", "store", "copy")), "tso", PAPER)
        assert explorer.classes <= values_classes(explorer.unfolding, MODELS["tso"])


def test_the_papers_encoding_verifies_nothing_that_buffers():
    assert explored(forwarding, "sc", PAPER)[1].verdict is mcr.Verdict.VERIFIED
    assert explored(forwarding, "tso", PAPER)[1].verdict is mcr.Verdict.INCOMPLETE
