"""How many classes each equivalence has, and how many executions find them all."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, under_all_models
from replay.world.memory_models import MODELS
from results.bench.cover import FEWEST
from results.bench.sizes import reference_case

OBJECTIVES = ("states", "outcomes", "values", "rf", "traces")
"""Each is an exploration of its own, with one execution for each new class."""

NOTES = """\
Classes, and after the slash the executions that found them all, one exploration for each equivalence but rvf
(reads-value-from), which is counted on the executions of the traces. States are local states, outcomes what the
threads return (or the final function, where there is one). Classes of maximal executions are complete + blocked: a
thread is blocked when an assumption failed. Traces are those of Shasha and Snir: po, rf and co.

*Least* is the fewest executions by which any explorer could show every local state: a minimum hitting set over the
classes of values."""

_PROGRAMS: tuple[tuple[str, dict[str, int]], ...] = (
    ("sb", {"n": 3}),
    ("mp", {}),
    ("dekker", {}),
    ("peterson", {}),
    ("ttas", {"n": 2, "b": 2}),
    ("bakery", {"n": 2}),
    ("fastmutex", {"n": 2, "b": 1}),
    ("example", {"n": 2}),
    ("example_zreset", {"n": 2}),
    ("casrot", {"n": 6}),
    ("readers", {"n": 8}),
    ("lastzero", {"n": 5}),
    ("exp_mem", {"n": 5}),
    ("fib", {"n": 3}),
)


_TOO_SYMMETRIC = ("exp_mem",)
"""Programs for which the minimum hitting set takes too long: every permutation of threads is another one."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    programs = [reference_case(program, check=False, **sizes) for program, sizes in _PROGRAMS]
    return choice.of(
        _case(each, what, choice) for case in programs for each in under_all_models(case) for what in OBJECTIVES
    )


def _case(case: BenchCase, objective: str, choice: SuiteSelection) -> BenchCase:
    return replace(
        case,
        algorithm="cover",
        objective=objective,
        solver=choice.the_solver,
        census=objective == "traces",
        probe=FEWEST if objective == "values" and case.program not in _TOO_SYMMETRIC else "",
    )


def classes(row: Row) -> str:
    """What an exploration counted, and its executions."""
    if not row["complete"]:
        return "-"
    if row["objective"] == "states":
        counted = str(row["local_states"])
    elif row["objective"] == "outcomes":
        counted = str(row["details"]["outcomes"])
    else:
        counted = f"{row['classes']} + {row['blocked_classes']}"
    return f"{counted} / {row['executions']}"


def sections(rows: list[Row]) -> list[str]:
    found = {(short_title(row), row["model"], row["objective"]): row for row in rows}
    lines = [
        _line(title, model, {objective: found.get((title, model, objective)) for objective in OBJECTIVES})
        for title, model in dict.fromkeys((title, model) for title, model, _ in found)
    ]
    columns = ("program", "model", "states", "least", "outcomes", "values", "rvf", "rf", "traces")
    return [NOTES, as_markdown(columns, lines)]


def _line(title: str, model: str, of: dict[str, Row | None]) -> list[str]:
    cells = {objective: "-" if row is None else classes(row) for objective, row in of.items()}
    traces = of["traces"]
    rvf = traces["details"]["census"]["rvf"] if traces is not None and traces["complete"] else "-"
    values = of["values"]
    least = "-" if values is None else values["details"].get("cover", {}).get("minimum", "-")
    first = [title, model, cells["states"], str(least)]
    return [*first, cells["outcomes"], cells["values"], str(rvf), cells["rf"], cells["traces"]]


def figures(rows: list[Row]) -> list[Figure]:
    """Executions for each equivalence, a panel for each model."""
    found = {(short_title(row), row["model"], row["objective"]): row["executions"] for row in rows if row["complete"]}
    titles = tuple(dict.fromkeys(title for title, _, _ in found))
    if not titles:
        return []
    panels = [
        Panel(
            model.upper(),
            y="executions",
            labels=titles,
            bars={what: [found.get((title, model, what)) for title in titles] for what in OBJECTIVES},
            log_y=True,
        )
        for model in MODELS
    ]
    return [
        Figure("equivalences", "Executions that find every class, by equivalence", tuple(panels), (13, 11), columns=1)
    ]


SUITE = Suite(
    name="equivalences",
    title="Equivalences",
    summary="how many classes each equivalence has, and how many executions find them",
    cases=cases,
    sections=sections,
    figures=figures,
    counts=True,
)
