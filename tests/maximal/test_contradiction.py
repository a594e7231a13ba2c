"""A replay that does not do what the solver promised stops the exploration and saves both."""

from dataclasses import replace

import pytest

from examples import mcr_paper
from mcr.explorers.maximal_causality.explorer import MaximalCausality, MaximalOptions
from replay.errors import InternalError
from replay.traces.files import load_trace
from replay.world.memory_model import MODELS


def test_broken_promises_are_saved(tmp_path):
    explorer = MaximalCausality(mcr_paper.figure_3a, MODELS["sc"], MaximalOptions(evidence=tmp_path))
    honest = explorer.search.next_seed

    def lying():
        seed = honest()
        (state, value), *rest = seed.promised
        return replace(seed, promised=((state, value + 1), *rest))

    explorer.search.next_seed = lying
    with pytest.raises(InternalError, match="read another value than promised"):
        explorer.explore()
    assert "Promised, in this order" in (tmp_path / "promised.txt").read_text(encoding="utf-8")
    assert load_trace(tmp_path / "replayed.json").events
