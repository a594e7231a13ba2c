"""How time and memory per class grow with the number of classes."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, under_all_models
from mcr.bench.text import executions, how_it_ended, number, seconds
from results.bench.costs import GROWTH
from results.bench.sizes import reference_case

NOTES = """\
Times are CPU time. At 1/8, 1/4, 1/2 and all of the executions the cost of those since the mark before is taken;
*growth* is the exponent b of the fit cost = a * executions^b over these: 0 is constant, what grows with the logarithm
has about 0.1 here, 1 is linear."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    single = [
        _case("exp_mem", 7, "sc", "traces"),
        _case("readers", 13, "pso", "rf"),
        _case("readers", 14, "pso", "rf"),
        _case("lastzero", 10, "tso", "traces"),
        _case("bakery", 3, "tso", "traces"),
    ]
    fib = [("values", 4), ("outcomes", 4), ("traces,outcomes", 5), ("outcomes", 5)]
    series = [_with_final(case) for objective, n in fib for case in under_all_models(_case("fib", n, "sc", objective))]
    return [replace(case, solver=choice.the_solver) for case in choice.of([*single, *series])]


def _case(program: str, n: int, model: str, objective: str) -> BenchCase:
    return replace(reference_case(program, n=n), model=model, algorithm="cover", objective=objective, probe=GROWTH)


def _with_final(case: BenchCase) -> BenchCase:
    """fib with the function that looks at the end, which outcomes are about."""
    return replace(case, parameters=tuple(pair for pair in case.parameters if pair[0] != "check"))


def sections(rows: list[Row]) -> list[str]:
    columns = (
        "program", "model", "objective", "executions", "classes", "outcomes", "local states", "CPU s", "solving",
        "peak MB", "ms per execution at 1/8, 1/4, 1/2, 1", "growth of time", "KB per execution", "verdict",
    )  # fmt: skip
    return [NOTES, as_markdown(columns, map(_line, rows))]


def _line(row: Row) -> list[str]:
    growth = row["details"].get("growth", {})
    classes = f"{row['classes']} + {row['blocked_classes']}" if "classes" in row["details"] else ""
    return [
        short_title(row), row["model"], row["objective"], executions(row), classes,
        number(row["details"].get("outcomes")), number(row["local_states"]), seconds(row["cpu_s"]),
        seconds(row["solving_s"]), number(row["peak_mb"]),
        ", ".join(f"{cost:.2f}" for _, cost in growth.get("costs_ms", ())), number(growth.get("exponent")),
        number(growth.get("kilobytes")), how_it_ended(row),
    ]  # fmt: skip


def figures(rows: list[Row]) -> list[Figure]:
    """Cost against executions: one panel for fib under PSO, the hardest, and one for all others."""
    known = [row for row in rows if row["details"].get("growth", {}).get("costs_ms")]
    others = [row for row in known if row["program"] != "fib"]
    fib = [row for row in known if row["program"] == "fib" and row["model"] == "pso"]
    panels = tuple(_panel(chosen) for chosen in (others, fib) if chosen)
    return [Figure("objectives", "What one more execution costs", panels, (13, 5))] if panels else []


def _panel(rows: list[Row]) -> Panel:
    lines = {
        f"{short_title(row)} {row['model'].upper()}: {row['objective']}": [
            (count, cost) for count, cost in row["details"]["growth"]["costs_ms"]
        ]
        for row in rows
    }
    return Panel("", "executions so far", "ms of CPU time for an execution", lines=lines, log_x=True, log_y=True)


SUITE = Suite(
    name="objectives",
    title="Time and memory per class",
    summary="how time and memory per class grow with the number of classes",
    cases=cases,
    sections=sections,
    figures=figures,
)
