"""One formula for all goals of a trace gives the answers that a formula of its own gives to each."""

import pytest

from mcr.explorers.maximal_causality.explorer import is_determined
from mcr.explorers.maximal_causality.phi import ProgramOrder
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.recording import Recording
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.maximal.random_programs import random_program


def goals(trace):
    """Every load of a trace with every value that it might read, its own included."""
    for state in trace.reads():
        if not is_determined(state):
            yield from ((state, value) for value in trace.other_values(state, ()))


@pytest.mark.parametrize("solver", ["minisat22", "z3"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_goals_do_not_disturb_each_other(model, solver):
    answers = []
    for seed in range(12):
        execution = Recording(Unfolding(random_program(seed, ("load", "load", "store", "copy", "rmw"))), model)
        execution.run()
        trace, order = execution.observation(), ProgramOrder(model)
        shared = Solving(order, solver)
        for goal in goals(trace):
            alone = Solving(order, solver).shortest_prefix(trace, goal)
            found = shared.shortest_prefix(trace, goal)
            answers.append(found is None)
            assert (found is None) == (alone is None)
            assert found is None or any(event.before is goal[0] and event.read == goal[1] for event in found)
    assert len(set(answers)) == 2
