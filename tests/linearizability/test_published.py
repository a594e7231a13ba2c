"""The bugs that other checkers' tests contain are found, with clients no larger than theirs."""

from __future__ import annotations

from typing import Any

import pytest

import mcr
from tests.amount import SLOW
from tests.linearizability import structures
from tests.linearizability.published import BUGS, Bug


@pytest.mark.parametrize("bug", [each for each in BUGS if SLOW or not each.slow], ids=lambda bug: bug.where)
def test_a_published_bug_is_found_with_a_client_no_larger(bug: Bug) -> None:
    """`python -m results.levels` looks at all of them."""
    found = bug.found()
    assert found.verdict is mcr.Verdict.BUG
    assert found.counterexample is not None
    assert sum(map(len, found.counterexample.calls)) <= bug.published


def missing_fence(make: Any, operations: list[Any], only: dict[str, int], model: str) -> list[int]:
    """How many calls each thread of a smallest client makes."""
    found = mcr.linearizable(make, operations, calls=(3, 2), only=only, model=model, level="sequentially consistent")
    assert found.verdict is mcr.Verdict.BUG
    assert found.counterexample is not None
    assert found.counterexample.orders
    if len(found.counterexample.calls[0]) > 2:  # so many orders that not all are told
        assert found.counterexample.unordered is not None
        assert {call.result for call in found.counterexample.unordered} == {"returns 1"}
    return sorted(map(len, found.counterexample.calls))


def test_a_missing_fence_is_shown_by_a_client() -> None:
    """Where stores are buffered, not even a right one is linearizable: the weaker level is asked for."""
    deque = [("push", 1), "take", "steal"], {"push": 0, "take": 0}, "tso"
    assert missing_fence(structures.UnfencedDeque, *deque) == [2, 3]
    ring = [("put", 1), "get"], {"put": 0, "get": 1}, "pso"
    assert missing_fence(structures.UnfencedRing, *ring) == [1, 1]
