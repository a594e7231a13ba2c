"""Random programs with loops: the checker finds what is found by going round and round. For more:

python -m tests.spinning.campaign --programs 10000
"""

from __future__ import annotations

import pytest

import mcr
from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.pythonic.compare import checkers_program
from tests.spinning.brute_force import behaviours
from tests.spinning.campaign import search
from tests.spinning.generator import generate


@pytest.mark.parametrize("start", range(0, amount(20, 200), 20))
def test_agree(start: int) -> None:
    found = search(range(start, start + 20), 1500)
    assert not found.differences, "\n".join(found.differences)
    assert found.decided > 20


def test_programs_are_determined_by_their_seeds() -> None:
    assert [generate(seed) for seed in range(20)] == [generate(seed) for seed in range(20)]


def test_a_thread_that_fails_at_once() -> None:
    source = (
        "import mcr\n\n@mcr.program\ndef generated(p):\n    def thread():\n        assert False\n    p.thread(thread)"
    )
    program = checkers_program(source)
    found = behaviours(program, MODELS["sc"], 10).failures
    assert len(found) == len(mcr.check(program, "sc").failures) == 1
