"""Tables 1 and 2 of [kokologiannakis-2022]: executions and memory of TruSt, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table
from mcr.bench.text import seconds
from results.bench.sizes import reference_case

NOTES = """\
*trust* and *trust-rf* are algorithms 1 and 2, exploring `states` under SC: every graph is visited, and those that show
something new are executed. Peaks are of the whole process, Python and all. "-": not done within the time limit.

The published executions are those of RC11; these programs have as many under SC. exp-mem2 is left out, as the paper
does not show it, and a program made to have its (N! (N + 2))^2 executions would say nothing about it. The others of
table 2 are C11 code of GenMC's repository, whose loops are bounded in ways that are not recorded."""


class Published(NamedTuple):
    """TruSt's column of a row: executions, megabytes, seconds; None for what our notes on the tables do not have."""

    executions: int
    megabytes: int | None
    seconds: float | None


Size = tuple[str, int]

TABLES: dict[Size, Published] = {
    ("lastzero", 10): Published(3_328, 47, 0),
    ("lastzero", 15): Published(147_456, None, 11),
    ("exp_mem", 7): Published(10_080, 46, 1),
    ("exp_mem", 8): Published(80_640, 46, 10),
}

ALGORITHMS = ("trust", "trust-rf")


def cases(choice: SuiteSelection) -> list[BenchCase]:
    return choice.of(
        replace(reference_case(program, n=n), algorithm=algorithm, solver=choice.the_solver)
        for program, n in TABLES
        for algorithm in ALGORITHMS
    )


def _ours(rows: list[Row]) -> dict[tuple[Size, str], Row]:
    """What was explored to the end."""
    return {
        ((row["program"], int(row["parameters"].removeprefix("n="))), row["algorithm"]): row
        for row in rows
        if not row["why"]
    }


def sections(rows: list[Row]) -> list[str]:
    columns = (
        "program",
        "published",
        "MB",
        "s",
        *(f"{what}{name}" for name in ALGORITHMS for what in ("", "MB, ", "s, ")),
    )
    ours = _ours(rows)
    lines = (
        [
            _title(size), *map(_shown, published),
            *(cell for algorithm in ALGORITHMS for cell in _found(ours.get((size, algorithm)))),
        ]
        for size, published in TABLES.items()
    )  # fmt: skip
    return [NOTES, "## Tables 1 and 2", as_markdown(columns, lines), "## All figures", full_table(rows)]


def _title(size: Size) -> str:
    return f"{size[0]}(n={size[1]})"


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}" if isinstance(figure, float) else str(figure)


def _found(row: Row | None) -> tuple[str, str, str]:
    return ("-", "-", "-") if row is None else (str(row["graphs"]), f"{row['peak_mb']:.1f}", seconds(row["cpu_s"]))


def figures(rows: list[Row]) -> list[Figure]:
    """Memory, published and ours."""
    ours = _ours(rows)
    bars: dict[str, list[float | None]] = {"published": [published.megabytes for published in TABLES.values()]}
    for algorithm in ALGORITHMS:
        found = [ours.get((size, algorithm)) for size in TABLES]
        bars[algorithm] = [None if row is None else float(row["peak_mb"]) for row in found]
    labels = tuple(f"{_title(size)}: {published.executions:,}" for size, published in TABLES.items())
    panel = Panel("", y="peak, MB", labels=labels, bars=bars)
    return [Figure("paper-trust", "Memory, by program and number of executions", (panel,), (9.0, 5.0))]


def contradicted(rows: list[Row]) -> list[str]:
    """Where we count other executions than the paper."""
    return list(_contradictions(_ours(rows)))


def _contradictions(ours: dict[tuple[Size, str], Row]) -> Iterator[str]:
    for size, published in TABLES.items():
        for algorithm in ALGORITHMS:
            row = ours.get((size, algorithm))
            if row is not None and row["graphs"] != published.executions:
                yield f"{_title(size)} by {algorithm}: {row['graphs']} graphs, {published.executions} published"


SUITE = Suite(
    name="paper-trust",
    title="Executions and memory of TruSt, beside the published figures",
    summary="tables 1 and 2 of the paper on TruSt: executions and memory",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
    has_solver=False,
)
