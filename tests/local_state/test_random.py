"""Random Python threads: what shares a key has one future. The same programs in every run; for more:

python -m tests.local_state.campaign --programs 10000
"""

from __future__ import annotations

import pytest

from tests.amount import amount
from tests.local_state.campaign import Findings

PORTIONS = [range(start, start + 5) for start in range(0, amount(5, 40), 5)]


@pytest.mark.parametrize("seeds", PORTIONS, ids=str)
def test_what_shares_a_key_has_one_future(seeds: range) -> None:
    found = Findings()
    for seed in seeds:
        found.add(seed, depth=4)
    assert not found.wrong
    assert found.merged > found.histories / 4
    assert found.doubts.total() < found.histories / 3
