"""A replay that does not do what the solver promised stops the exploration and saves both."""

from dataclasses import replace

import pytest

from examples import mcr_paper
from replay.errors import InternalError
from replay.traces.files import load_trace
from replay.world.memory_models import MODELS
from tests.maximal.exploring import Exploration


def test_broken_promises_are_saved(tmp_path):
    exploration = Exploration(mcr_paper.figure_3a, MODELS["sc"], evidence=tmp_path)
    honest = exploration.explorer.search.answer

    def lying(question):
        seed = honest(question)
        if seed is None:
            return None
        (state, value), *rest = seed.promised
        return replace(seed, promised=((state, value + 1), *rest))

    exploration.explorer.search.answer = lying
    with pytest.raises(InternalError, match="read another value than promised"):
        exploration.explore()
    assert "Promised, in this order" in (tmp_path / "promised.txt").read_text(encoding="utf-8")
    assert load_trace(tmp_path / "replayed.json").events
