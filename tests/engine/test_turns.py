"""The default: sides by turns, and the first that has a proof ends it."""

from __future__ import annotations

import math

import mcr
from mcr.exploration.verdict import Verdict
from mcr.explorers.stateful.estimate import states_left
from results.bench import everyday
from tests.bmc.faults import subtract_until_equal


def test_few_global_states_end_it_where_executions_are_millions() -> None:
    result = mcr.check(everyday.counter(n=6, rounds=2), "tso")
    assert (result.verdict, result.algorithm) == (Verdict.VERIFIED, "stateful")


def test_a_loop_that_ends_when_two_cells_are_equal() -> None:
    """Executions that go round it have no end; global states are few."""
    assert mcr.check(subtract_until_equal(first=8, second=6), "tso").verdict is Verdict.VERIFIED


def test_what_is_left_is_guessed_from_each_depth() -> None:
    """Choose k of 20: half is left in the middle; of what grows by one factor there is no end."""
    levels = [math.comb(20, k) for k in range(21)]
    assert 0.5 < states_left(levels[:11]) / sum(levels[11:]) < 2
    assert states_left([2**k for k in range(12)]) == math.inf
    assert states_left([1, 2, 1, 0]) == 0
