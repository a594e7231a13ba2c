"""Why our fence maps say more than the printed definition: two instances whose only witness that loses."""

from __future__ import annotations

from itertools import permutations

import pytest

from mcr.consistency.instance import SearchOptions
from mcr.consistency.verify import realize
from replay.world.memory_models.pso import PSO
from tests.consistency.brute_force import is_realizable
from tests.consistency.litmus import instance

LOST = {
    "own writes": "Wx Rz=c F Wy:b\nWx:a F Wz:c Ry=b Rx=a",
    "atomic blocks": "Wx Rx=b\nWx:a F Ux:b=a",
}


def outcomes(text: str, how: SearchOptions) -> set[bool]:
    """The answers with the threads in either order, which decides what is tried first."""
    lines = text.splitlines()
    return {realize(instance("\n".join(order)), PSO, how).is_realizable for order in permutations(lines)}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_the_printed_definition_loses_a_witness(text):
    assert is_realizable(instance(text), PSO)
    assert outcomes(text, SearchOptions(closure=False)) == {True}
    assert outcomes(text, SearchOptions(closure=False, paper_fences=True)) == {True, False}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_closure_happens_to_save_them(text):
    assert outcomes(text, SearchOptions(paper_fences=True)) == {True}
