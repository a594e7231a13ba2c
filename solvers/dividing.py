"""A question divided by cases: each part has some of them, and excludes those of the parts before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from solvers.interface import Statement

PARTS = 4
"""How many, so that two processes have about the same to do; eight cost half as much again, in exp-mem(8)."""


@dataclass(frozen=True)
class Part:
    """The assignments in which some case of the part holds, and none of those before.

    some   the cases of the part
    never  the negations of those before
    """

    some: Sequence[Statement]
    never: Sequence[Statement]


def divided(cases: Sequence[Statement]) -> list[Part]:
    """Parts that have together every assignment in which a case holds, each one once."""
    count = min(PARTS, len(cases))
    starts = [len(cases) * number // count for number in range(count + 1)]
    return [Part(cases[begin:end], [-case for case in cases[:begin]]) for begin, end in pairwise(starts)]
