"""RVF-SMC under SC, TSO and PSO: its executions beside classes by reads-from and traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.bench.case import BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table, under_all_models
from mcr.bench.text import seconds
from replay.world.memory_models import MODELS
from results.bench.sizes import reference_case

NOTES = """\
*rvf-smc* are executions of RVF-SMC, at most one for each reads-value-from class, exploring states; *rf-smc* classes by
reads-from, *trust* traces, blocked ones included. Under TSO and PSO no other implementation of RVF-SMC is known
(docs/algorithms.md says why it carries over). "-": not done within the time limit."""

RVF, RF, TRUST = "rvf-smc", "rf-smc", "trust"
ALGORITHMS = {RVF: "states", RF: "rf", TRUST: "traces"}
"""By algorithm what it explores."""

PROGRAMS = (
    reference_case("mp"),
    reference_case("sb", n=3),
    reference_case("dekker"),
    reference_case("peterson"),
    reference_case("bakery", n=2),
    reference_case("ttas", n=2, b=1),
    reference_case("fastmutex", n=2, b=1),
    reference_case("lastzero", n=5),
    reference_case("readers", n=5),
    reference_case("fib", n=2),
    reference_case("exp_mem", n=4),
    reference_case("casrot", n=4),
    reference_case("example", n=1),
    reference_case("example_zreset", n=1),
)


def cases(choice: SuiteSelection) -> list[BenchCase]:
    return choice.of(
        replace(case, algorithm=algorithm, objective=objective, solver=choice.the_solver)
        for each in PROGRAMS
        for case in under_all_models(each)
        for algorithm, objective in ALGORITHMS.items()
    )


def _ours(rows: list[Row]) -> dict[tuple[str, str, str], Row]:
    return {(short_title(row), row["model"], row["algorithm"]): row for row in rows}


def sections(rows: list[Row]) -> list[str]:
    titles = dict.fromkeys((short_title(row), row["model"]) for row in rows)
    columns = ("program", "model", *(cell for name in ALGORITHMS for cell in (name, "s")))
    table = as_markdown(columns, [_line(title, model, _ours(rows)) for title, model in titles])
    return [NOTES, table, "## All figures", full_table(rows)]


def _line(title: str, model: str, ours: dict[tuple[str, str, str], Row]) -> list[str]:
    found = [ours.get((title, model, name)) for name in ALGORITHMS]
    return [title, model, *(cell for row in found for cell in _cells(row))]


def _cells(row: Row | None) -> tuple[str, str]:
    return ("-", "-") if row is None or row["why"] else (str(row["executions"]), seconds(row["cpu_s"]))


def figures(rows: list[Row]) -> list[Figure]:
    """Executions, a panel for each model."""
    ours = _ours(rows)
    titles = tuple(dict.fromkeys(short_title(row) for row in rows))
    panels = []
    for model in MODELS:
        bars = {name: [_height(ours.get((title, model, name))) for title in titles] for name in ALGORITHMS}
        panels.append(Panel(model.upper(), y="executions", labels=titles, bars=bars, log_y=True))
    return [Figure("reads-value-from", "Executions by equivalence", tuple(panels), (13, 9), columns=1)]


def _height(row: Row | None) -> float | None:
    return None if row is None or row["why"] else float(row["executions"])


def contradicted(rows: list[Row]) -> list[str]:
    return list(_contradictions(rows))


def _contradictions(rows: list[Row]) -> Iterator[str]:
    """More executions than classes by reads-from: then some reads-value-from class was run twice."""
    ours = _ours(rows)
    for (title, model, algorithm), row in ours.items():
        other = ours.get((title, model, RF))
        if algorithm != RVF or other is None or row["why"] or other["why"]:
            continue
        if row["executions"] > other["executions"]:
            yield f"{title} under {model.upper()}: {row['executions']} executions, {other['executions']} of rf-smc"


SUITE = Suite(
    name="reads-value-from",
    title="Reads-value-from classes under SC, TSO and PSO",
    summary="RVF-SMC under SC, TSO and PSO: its executions beside classes by reads-from and traces",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
)
