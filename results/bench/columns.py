"""What the columns of a measurement hold, as types: rows that others may have edited are held against them."""

from __future__ import annotations

from typing import TypedDict

Count = int | None
Seconds = float | None
"""None where a process did not live to tell its figures."""


class Cover(TypedDict, total=False):
    minimum: int
    blocked_only: int


class GrowthFigures(TypedDict, total=False):
    costs_ms: list[tuple[int, float]]
    exponent: float
    kilobytes: float


class Details(TypedDict, total=False):
    """What only some suites ask for."""

    least_executions: int
    outcomes: int
    classes: dict[str, tuple[int, int]]
    census: dict[str, int]
    cover: Cover
    figures: dict[str, int]
    growth: GrowthFigures
    phases: dict[str, float]


class KeyColumns(TypedDict):
    """What identifies a row (`bench.case.KEY`)."""

    program: str
    parameters: str
    model: str
    algorithm: str
    objective: str
    solver: str
    until: str


class Columns(KeyColumns, total=False):
    """A row. Those of earlier versions had fewer columns; columns that nobody knows are kept."""

    verdict: str
    complete: bool
    why: str
    details: Details
    limit_s: float
    process_s: float
    executions: Count
    blocked: Count
    redirected: Count
    graphs: Count
    redundant: Count
    local_states: Count
    classes: Count
    blocked_classes: Count
    first_bug: Count
    questions: Count
    cyclic: Count
    solving_s: Seconds
    encoding_s: Seconds
    replaying_s: Seconds
    surveying_s: Seconds
    wall_s: Seconds
    cpu_s: Seconds
    peak_mb: Seconds
