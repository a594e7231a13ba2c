"""Why our fence maps say more than the printed definition: two instances whose only witness that loses."""

from __future__ import annotations

from itertools import permutations

import pytest

from mcr.consistency.instance import SearchOptions
from mcr.consistency.verify import decided
from mcr.consistency.verify_pso import FenceMaps, VerifyPSO
from replay.world.memory_models.pso import PSO
from tests.consistency.brute_force import is_realizable
from tests.consistency.litmus import instance

LOST = {
    "own writes": "Wx Rz=c F Wy:b\nWx:a F Wz:c Ry=b Rx=a",
    "atomic blocks": "Wx Rx=b\nWx:a F Ux:b=a",
}


class PrintedMaps(FenceMaps):
    """The fence maps of [bui-2021] section 4.2."""

    def counts(self, thread: int, writer: int, reader: int) -> bool:
        return thread != reader and writer not in (thread, reader)

    def _awaiting_blocks(self):
        return {}


class PrintedVerifyPSO(VerifyPSO):
    def new_maps(self) -> FenceMaps:
        return PrintedMaps(self.phases)


def outcomes(text: str, search: type[VerifyPSO] = VerifyPSO, *, closure: bool = False) -> set[bool]:
    """The answers with the threads in either order, which decides what is tried first."""
    instances = (instance("\n".join(order)) for order in permutations(text.splitlines()))
    return {decided(search, each, PSO, SearchOptions(closure=closure)).is_realizable for each in instances}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_the_printed_definition_loses_a_witness(text):
    assert is_realizable(instance(text), PSO)
    assert outcomes(text) == {True}
    assert outcomes(text, PrintedVerifyPSO) == {True, False}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_closure_happens_to_save_them(text):
    assert outcomes(text, PrintedVerifyPSO, closure=True) == {True}
