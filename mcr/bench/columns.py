"""The columns of a measurement, as types: rows that others may have edited are checked against them."""

from __future__ import annotations

from typing import TypedDict

Count = int | None
Seconds = float | None
"""None where a process did not live to tell its figures."""


class Details(TypedDict, total=False):
    """Figures of some algorithms and objectives only; those of probes stand beside them."""

    least_executions: int
    merged: bool
    outcomes: int
    outcomes_digest: str
    classes: dict[str, tuple[int, int]]
    census: dict[str, int]
    figures: dict[str, int]


class KeyColumns(TypedDict):
    """The columns that identify a row (`mcr.bench.case.KEY`)."""

    program: str
    parameters: str
    model: str
    algorithm: str
    objective: str
    solver: str
    until: str


class Columns(KeyColumns, total=False):
    """A row. Those of earlier versions had fewer columns; unknown columns are kept."""

    verdict: str
    complete: bool
    why: str
    details: Details
    origin: str
    run: int
    limit_s: float
    process_s: Seconds
    seeds_asked: Count
    seeds_satisfiable: Count
    seeds_enforced: Count
    executions: Count
    blocked: Count
    redirected: Count
    graphs: Count
    redundant: Count
    local_states: Count
    global_states: Count
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
