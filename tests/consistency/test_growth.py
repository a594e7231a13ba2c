"""Prefixes explored in the worst case, [bui-2021] Theorems 3.1 and 3.2; results/consistency.py has the times."""

from __future__ import annotations

import pytest

from mcr.consistency.instance import SearchOptions
from mcr.consistency.verify import realize
from replay.world.memory_models import MODELS
from tests.consistency.litmus import instance

TAIL = ("Wp F Rq=0", "Wq F Rp=0")


def worst(threads: int, pairs: int):
    """A forbidden outcome behind `pairs` stores and loads of each thread that nothing constrains."""
    lines = []
    for thread in range(threads):
        name = "abc"[thread]
        body = [f"W{name}:{name}v{number} R{name}={name}v{number}" for number in range(pairs)]
        lines.append(" ".join([*body, TAIL[thread] if thread < len(TAIL) else ""]))
    return instance("\n".join(lines))


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_doubling_the_events_multiplies_the_prefixes_by_two_to_the_number_of_threads(model, threads):
    explored = []
    for pairs in (4, 8, 16):
        answer = realize(worst(threads, pairs), model, SearchOptions(closure=False))
        assert not answer.is_realizable
        explored.append(answer.explored)
    assert explored[2] <= explored[1] * 2**threads * 1.1
    assert explored[1] <= explored[0] * 2**threads * 1.1


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_closure_decides_it_before_any_search(model):
    assert realize(worst(3, 60), model).explored == 0
