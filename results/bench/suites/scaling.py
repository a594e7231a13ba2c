"""What an execution and a local state cost, as programs grow."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure, Panel, Point
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, under_all_models
from mcr.bench.text import executions, how_it_ended, number, seconds
from replay.world.memory_models import MODELS
from results.bench.sizes import reference_case

FAMILIES: dict[str, tuple[int, ...]] = {
    "readers": (5, 10, 20, 40, 80),
    "lastzero": (2, 5, 8, 10, 12, 15),
    "bakery": (2, 3, 4),
    "fib": (1, 2, 3, 4, 5),
    "exp_mem": (3, 4, 5, 6, 7, 8),
    "casrot": (4, 8, 16, 32),
}
"""Sizes n by program."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    sized = [reference_case(program, n=n) for program, numbers in FAMILIES.items() for n in numbers]
    wanted = choice.of(case for each in sized for case in under_all_models(each))
    return [replace(case, algorithm="cover", solver=choice.the_solver) for case in wanted]


def size(row: Row) -> int:
    return int(row["parameters"].split(",")[0].removeprefix("n="))


def cost(row: Row, what: str) -> float | None:
    """Milliseconds for each of what is counted; None if the exploration was cut."""
    return 1000 * row["wall_s"] / row[what] if row["complete"] else None


def sections(rows: list[Row]) -> list[str]:
    columns = (
        "program", "n", "model", "executions", "graphs", "local states", "s", "ms per execution", "ms per local state",
        "peak MB", "verdict",
    )  # fmt: skip
    return ["What an execution and a local state cost, as programs grow.", as_markdown(columns, map(_line, rows))]


def _line(row: Row) -> list[object]:
    return [
        row["program"], size(row), row["model"], executions(row), number(row["graphs"]), number(row["local_states"]),
        seconds(row["wall_s"]), _cell(cost(row, "executions")), _cell(cost(row, "local_states")),
        number(row["peak_mb"]), how_it_ended(row),
    ]  # fmt: skip


def _cell(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:.3g}"


def figures(rows: list[Row]) -> list[Figure]:
    if not any(row["complete"] for row in rows):
        return []
    each = [("executions", "ms per execution"), ("local_states", "ms per local state")]
    panels = [_panel(rows, model, *what) for what in each for model in MODELS]
    return [Figure("scaling", "Cost as programs grow", tuple(panels), (13, 8))]


def _panel(rows: list[Row], model: str, what: str, label: str) -> Panel:
    lines: dict[str, list[Point]] = {program: [] for program in FAMILIES}
    for row in rows:
        price = cost(row, what)
        if row["model"] == model and price is not None:
            lines[row["program"]].append((row["local_states"], price))
    return Panel(model.upper(), "local states of the program", label, lines=lines, log_x=True, log_y=True)


SUITE = Suite(
    name="scaling",
    title="Scaling",
    summary="what an execution and a local state cost, as programs grow",
    cases=cases,
    sections=sections,
    figures=figures,
)
