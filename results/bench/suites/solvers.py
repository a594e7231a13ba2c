"""Every solver that is installed, on the same programs."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection
from mcr.bench.text import executions, how_it_ended, number, seconds
from results.bench.sizes import reference_case
from solvers.registry import available_solvers

NOTES = """\
Every solver of this installation, on the same programs. Execution graphs are not visited here (`--algorithm cover`):
the solver alone says what is left."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    programs = [
        replace(reference_case("bakery", n=3), model="tso"),
        replace(reference_case("fastmutex", n=3, b=1), model="pso"),
        replace(reference_case("fastmutex", n=4, b=1), model="tso"),
        replace(reference_case("lastzero", n=8), model="sc"),
        replace(reference_case("fib", n=3), model="tso"),
        replace(reference_case("exp_mem", n=6), model="tso"),
    ]
    return choice.of(
        replace(case, solver=solver, algorithm="cover") for case in programs for solver in available_solvers()
    )


def sections(rows: list[Row]) -> list[str]:
    columns = (
        "program", "model", "solver", "executions", "questions", "cyclic", "solving s", "s", "CPU s", "peak MB",
        "verdict",
    )  # fmt: skip
    return [NOTES, as_markdown(columns, map(_line, rows))]


def _line(row: Row) -> list[str]:
    return [
        short_title(row), row["model"], row["solver"], executions(row), number(row["questions"]), number(row["cyclic"]),
        *(seconds(row[f"{time}_s"]) for time in ("solving", "wall", "cpu")), number(row["peak_mb"]), how_it_ended(row),
    ]  # fmt: skip


def figures(rows: list[Row]) -> list[Figure]:
    """Time by solver, a panel for each program; what was cut has no bar."""
    solvers = tuple(dict.fromkeys(row["solver"] for row in rows))
    programs = dict.fromkeys((short_title(row), row["model"]) for row in rows)
    panels = [_panel(title, model, solvers, rows) for title, model in programs]
    height = 1.2 + (0.22 * len(solvers) + 0.8) * -(-len(panels) // 3)
    return [Figure("solvers", "CPU time by solver", tuple(panels), (13, height))] if panels else []


def _panel(title: str, model: str, solvers: tuple[str, ...], rows: list[Row]) -> Panel:
    own = [row for row in rows if (short_title(row), row["model"]) == (title, model) and row["complete"]]
    found = {row["solver"]: row["cpu_s"] for row in own}
    heights = [found.get(solver) for solver in solvers]
    return Panel(f"{title}, {model.upper()}", "CPU seconds", labels=solvers, bars={"CPU seconds": heights}, flat=True)


SUITE = Suite(
    name="solvers",
    title="Solvers",
    summary="every solver that is installed, on the same programs",
    cases=cases,
    sections=sections,
    figures=figures,
    has_solver=False,
)
