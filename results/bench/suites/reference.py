"""The programs that the field counts, explored to the end, and to the first bug where they have one."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import END, FIRST_BUG, BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table, under_all_models
from mcr.bench.text import how_it_ended, number, seconds
from replay.world.memory_models import MODELS
from results.bench import comparison
from results.bench.cover import FEWEST
from results.bench.peers import peers_text
from results.bench.sizes import FAILING, LOCKS, is_checked, reference_cases

ALGORITHM = "cover"
"""What runs executions that show all local states."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    unchecked = [case for each in reference_cases() for case in under_all_models(each)]
    checked = [case for each in reference_cases(check=True) for case in under_all_models(each)]
    covered = [replace(case, objective="values", probe=FEWEST) for case in unchecked if _is_small_lock(case)]
    failing = [replace(case, until=FIRST_BUG) for case in checked if case.program in FAILING]
    with_final = [case for case in checked if case.program == "fib"]
    wanted = choice.of([*unchecked, *with_final, *failing, *covered])
    return [replace(case, algorithm=ALGORITHM, solver=choice.the_solver) for case in wanted]


def _is_small_lock(case: BenchCase) -> bool:
    """Whether its complete executions may be few, and its classes of values not too many."""
    n, b = (int(str(dict(case.parameters).get(name, 1))) for name in ("n", "b"))
    return case.program in LOCKS and case.model == "sc" and n * b < 5 and n < 4


def sections(rows: list[Row]) -> list[str]:
    explored = _explored(rows)
    hunted = [row for row in rows if row["until"] == FIRST_BUG]
    parts = [
        "Every local state of every program, without assertions (fib: with them too), by `--algorithm cover`. The "
        "default explores global states of programs like these, and runs no execution for that (everyday.md).",
        full_table(explored),
    ]
    if hunted:
        parts += ["## To the first bug", "With assertions; a short schedule is not looked for.", _bugs(hunted)]
    return [*parts, *comparison.sections(rows)]


def _explored(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["until"] == END and row["objective"] == "states"]


def _bugs(rows: list[Row]) -> str:
    columns = ("program", "model", "first bug at execution", "local states", "s", "verdict")
    lines = [
        (short_title(row), row["model"], number(row["first_bug"]), number(row["local_states"]), seconds(row["wall_s"]),
         how_it_ended(row))
        for row in rows
    ]  # fmt: skip
    return as_markdown(columns, lines)


def figures(rows: list[Row]) -> list[Figure]:
    explored = [row for row in _explored(rows) if not is_checked(row)]
    found = {(short_title(row), row["model"]): row["executions"] for row in explored if row["complete"]}
    titles = tuple(dict.fromkeys(title for title, _ in found))
    bars = {model.upper(): [found.get((title, model)) for title in titles] for model in MODELS}
    panel = Panel("", y="executions", labels=titles, bars=bars, log_y=True)
    seeds = Figure("reference-seeds", "Executions that show every local state", (panel,), (13, 5))
    return [*([seeds] if titles else []), *comparison.figures(rows)]


def extra_files(rows: list[Row]) -> dict[str, str]:
    return {"headline.md": comparison.headline(rows), "peers.json": peers_text()}


SUITE = Suite(
    name="reference",
    title="Reference programs",
    summary="the programs that the field counts, beside GenMC and Nidhugg",
    cases=cases,
    sections=sections,
    figures=figures,
    extra_files=extra_files,
)
