"""A replay that does not do what the solver promised stops the exploration."""

from dataclasses import replace

import pytest

from examples import mcr_paper
from replay.errors import InternalError
from replay.world.memory_models import MODELS
from tests.maximal.exploring import Exploration


def test_broken_promises_are_noticed():
    exploration = Exploration(mcr_paper.figure_3a, MODELS["sc"])
    honest = exploration.explorer.answer

    def lying(question):
        seed = honest(question)
        if seed is None:
            return None
        (state, value), *rest = seed.promised
        return replace(seed, promised=((state, value + 1), *rest))

    exploration.explorer.answer = lying
    with pytest.raises(InternalError, match="read another value than promised"):
        exploration.explore()
