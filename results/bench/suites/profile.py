"""Where the engine's time goes, by phase."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import FIRST_BUG, BenchCase, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, under_all_models
from mcr.bench.text import executions, how_it_ended, seconds
from results.bench.sampling import PHASES, PHASES_OF_TIME
from results.bench.sizes import is_checked, reference_case, reference_cases

NOTES = """\
Milliseconds of CPU time for each execution (seed), and where they go, from samples every 2 ms. *Encoding* tells the
solver what was seen, *order check* sorts what it proposes or finds a cycle, *seed* makes a schedule of that,
*redirections* are seeds read off an execution without the solver, *graphs* execution graphs that are visited without
it, *replay* is the machine and the unfolding, *user
code* the program's own with the operations it calls, *shortening* makes the schedule of a bug short. Rows with
assertions run to the first bug."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    """The hard programs; all sizes of the programs that are asked for, with their assertions too."""
    if choice.programs:
        found = [*reference_cases(), *(replace(case, until=FIRST_BUG) for case in reference_cases(check=True))]
    else:
        found = [
            reference_case("bakery", n=3),
            reference_case("bakery", check=True, n=3),
            reference_case("fastmutex", n=4, b=1),
            reference_case("fastmutex", n=3, b=2),
            reference_case("lastzero", n=10),
            reference_case("fib", n=4),
            reference_case("exp_mem", n=7),
            reference_case("example", n=3),
        ]
        found = [replace(case, until=FIRST_BUG) if _asserts(case) else case for case in found]
    wanted = [case for each in found for case in under_all_models(each)]
    return [
        replace(
            case, algorithm="cover", probe=PHASES_OF_TIME, shorten=case.until == FIRST_BUG, solver=choice.the_solver
        )
        for case in choice.of(wanted)
    ]


def _asserts(case: BenchCase) -> bool:
    return case.program == "bakery" and "check" not in dict(case.parameters)


def sections(rows: list[Row]) -> list[str]:
    columns = ("program", "model", "executions", "CPU s", "ms per execution", *PHASES, "verdict")
    return [NOTES, as_markdown(columns, map(_line, rows))]


def _line(row: Row) -> list[str]:
    phases = row["details"].get("phases", {})
    shares = (
        [f"{phases[phase] / total:.0%}" for phase in PHASES] if (total := sum(phases.values())) else ["-"] * len(PHASES)
    )
    each = f"{1000 * row['cpu_s'] / row['executions']:.2f}" if row["executions"] else "-"
    return [_title(row), row["model"], executions(row), seconds(row["cpu_s"]), each, *shares, how_it_ended(row)]


def _title(row: Row) -> str:
    return f"{short_title(row)}{' to the first bug' if row['until'] == FIRST_BUG and is_checked(row) else ''}"


def figures(rows: list[Row]) -> list[Figure]:
    """Shares of the time of each row; what an execution takes is in its label."""
    known = [row for row in rows if sum(row["details"].get("phases", {}).values()) and row["executions"]]
    bars: dict[str, list[float | None]] = {
        phase: [100 * row["details"]["phases"][phase] / sum(row["details"]["phases"].values()) for row in known]
        for phase in PHASES
    }
    panel = Panel("", "% of CPU time", labels=tuple(map(_label, known)), bars=bars, stacked=True, flat=True)
    size = (10, 1.6 + 0.26 * len(known))
    return [Figure("profile", "Where the time goes", (panel,), size)] if known else []


def _label(row: Row) -> str:
    return f"{_title(row)}, {row['model'].upper()}: {1000 * row['cpu_s'] / row['executions']:.3g} ms per execution"


SUITE = Suite(
    name="profile",
    title="Where the time goes",
    summary="the engine's time by phase",
    cases=cases,
    sections=sections,
    figures=figures,
)
