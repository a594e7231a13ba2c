"""C code that calls Python code hides nothing from keys: random threads, held against running them alone. For more:

python -m tests.callables.campaign --programs 20000
"""

from __future__ import annotations

import pytest

from tests.amount import amount
from tests.callables.compare import Found
from tests.callables.generator import program_of, text_of

PORTIONS = [range(start, start + 6) for start in range(0, amount(12, 300), 6)]


@pytest.mark.parametrize("seeds", PORTIONS, ids=str)
def test_what_is_merged_or_cut_goes_on_alike(seeds: range) -> None:
    found = Found()
    for seed in seeds:
        found.add(seed, program_of(text_of(seed), seed), depth=4)
    assert not found.wrong
    assert not found.refused


ONCE_WRONG = [6825]
"""Seeds of programs that told: a thread kept alive the exception that it had handled, but not where it was repeated."""


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_what_was_wrong_once_is_right(seed: int) -> None:
    found = Found()
    found.add(seed, program_of(text_of(seed), seed), depth=4)
    assert not found.wrong
