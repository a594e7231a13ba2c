"""How the cost of an execution grows in the course of an exploration."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from mcr.bench.memory import peak_megabytes
from mcr.bench.probe import Probe
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result, Statistics

GROWTH = f"{__file__}::Costs"
"""The probe."""

_STEP = 1.02
"""Executions from one mark to the next, as a factor: a few hundred marks, however many executions there are."""


class Mark(NamedTuple):
    """After so many executions: processor seconds and peak megabytes."""

    executions: int
    seconds: float
    megabytes: float


class Costs(Probe):
    """Notes marks while an exploration runs."""

    def __init__(self) -> None:
        self.marks = [_mark(0)]
        self._next = 1.0

    def note(self, statistics: Statistics) -> None:
        executions = statistics.executions
        if executions >= self._next:
            self.marks.append(_mark(executions))
            self._next = max(executions + 1, executions * _STEP)

    def details(self, session: Session, result: Result) -> dict[str, Any]:
        return {"growth": self._figures(result.statistics.executions)}

    def _figures(self, executions: int) -> dict[str, Any]:
        """After the last execution.

        costs     (executions, milliseconds for each of those since the mark before) at 1/8, 1/4, 1/2 and all
        exponent  b of the fit cost = a * executions^b: 0 is constant, 1 linear; a logarithm has about 0.1 here
        kilobytes by which the peak grew, for each execution
        """
        marks = [*self.marks, _mark(executions)]
        costs = marginal_costs(marks)
        grown = marks[-1].megabytes - marks[0].megabytes
        return {
            "costs_ms": [[count, round(seconds * 1000, 3)] for count, seconds in costs],
            "exponent": round(exponent(costs), 2),
            "kilobytes": round(1024 * grown / max(1, executions), 1),
        }


def _mark(executions: int) -> Mark:
    return Mark(executions, time.process_time(), peak_megabytes() or 0.0)


def marginal_costs(marks: Sequence[Mark]) -> list[tuple[int, float]]:
    """(executions, seconds for each of those since the mark before) near 1/8, 1/4, 1/2 and at all of them."""
    total = marks[-1].executions
    chosen = [
        marks[0],
        *(next(mark for mark in marks if mark.executions * part >= total) for part in (8, 4, 2)),
        marks[-1],
    ]
    return [
        (after.executions, (after.seconds - before.seconds) / (after.executions - before.executions))
        for before, after in pairwise(chosen)
        if after.executions > before.executions
    ]


def exponent(costs: Sequence[tuple[int, float]]) -> float:
    """b of cost = a * executions^b, by least squares on the logarithms; 0 if there are too few points."""
    points = [(math.log(count), math.log(max(cost, 1e-9))) for count, cost in costs]
    if len(points) < 2:
        return 0.0
    x, y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    spread = sum((px - x) * (px - x) for px, _ in points)
    return sum((px - x) * (py - y) for px, py in points) / spread
