"""A sketch of a graph, told by number, is executed like the graph."""

from __future__ import annotations

import pytest

from mcr.explorers.trust.cover import shown
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.schedule import memory, schedule_of, sketched
from mcr.explorers.trust.steps import Steps, Translation
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.explorers.test_contract import FAMILIES
from tests.maximal.random_programs import random_program


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("family", FAMILIES)
def test_it_has_the_schedule_of_the_graph(family: str, model: str) -> None:
    for seed in range(5):
        unfolding = Unfolding(random_program(seed, FAMILIES[family], length=2), merges=True)
        steps, translation = Steps(unfolding), Translation(unfolding)
        trust = Trust(unfolding, MODELS[model])
        for full in trust.graphs():
            for step in steps.gained():
                translation.take(step)
            for graph in trust.executions(full):
                sketch = translation.sketch(sketched(graph))
                assert schedule_of(sketch, MODELS[model]) == schedule_of(graph, MODELS[model])
                assert (shown(sketch), memory(sketch)) == (shown(graph), memory(graph))
