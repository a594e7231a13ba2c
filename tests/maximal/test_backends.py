"""PySAT and Z3 give the same answer to every query of an exploration."""

import pytest

from examples import mcr_paper
from mcr.explorers.maximal_causality.query import Solving
from replay.world.memory_models import MODELS
from tests.maximal.exploring import Exploration, explored
from tests.maximal.random_programs import random_program

PROGRAMS = [
    mcr_paper.figure_3a,
    mcr_paper.figure_6(n=1, check=False),
    mcr_paper.string_buffer(check=False),
    *(random_program(seed, ("load", "store", "rmw", "lock"), length=3) for seed in range(6)),
]


class Both:
    """Asks a second solver whatever the first is asked, and compares."""

    def __init__(self, first, second):
        self.first, self.second = first, second
        self.order = first.order

    def __getattr__(self, figure):
        return getattr(self.first, figure)

    def seed(self, *question):
        found, other = (solving.seed(*question) for solving in (self.first, self.second))
        assert (found is None) == (other is None)
        return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
@pytest.mark.parametrize("model", MODELS)
def test_same_answers(program, model):
    exploration = Exploration(program, MODELS[model], keep_going=True, shorten=False)
    both = Both(exploration.explorer.solving, Solving(exploration.explorer.solving.order, "z3"))
    exploration.explorer.solving = both
    exploration.explore()
    assert both.second.satisfiable == both.first.satisfiable
    assert exploration.statistics.executions == 1 or both.second.asked > 0


@pytest.mark.parametrize("model", MODELS)
def test_an_exploration_with_z3(model):
    counts = [
        explored(mcr_paper.figure_6(check=False), MODELS[model], solver=solver).statistics.executions
        for solver in ("minisat22", "z3")
    ]
    assert counts[0] == counts[1]
