"""Runs suites: takes what is missing, writes their tables and plots, and tells what is wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcr.bench.case import KEY, OPTIONAL, BenchCase
from mcr.bench.columns import Columns
from mcr.bench.drawing import check_can_draw, draw
from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_csv
from mcr.bench.suite import TIMEOUT, Suite, SuiteSelection
from mcr.bench.taking import is_whole, missing, take, tell
from mcr.bench.text import how_it_ended
from replay.errors import CheckerError
from replay.files import write_atomically

ONE_RUN = "Each row is one run, in a process of its own; times are seconds."
BUSY = """\
The machine did other work meanwhile (these rows took {ratio:.1f} times their processor time), so seconds are upper
bounds; counts do not depend on it, but for rows that a limit ended."""
BUSY_FROM = 1.5
"""Seconds for each second of the processor, in all, from which a machine was busy."""


@dataclass(frozen=True)
class SuiteRequest:
    """Which suites to run, and how.

    command  the command line, for the files that are written
    folder   where these go
    timeout  seconds for a row
    fresh    measure all that is asked for anew; if that is everything, forget what was measured before
    plots    draw them
    jobs     how many rows are measured at once of suites that only count, None for as many as there are cores
    """

    suites: Sequence[Suite]
    command: str = "mcr bench"
    choice: SuiteSelection = field(default_factory=SuiteSelection)
    folder: Path = Path()
    timeout: float = TIMEOUT
    fresh: bool = False
    plots: bool = True
    jobs: int | None = None

    @property
    def everything(self) -> SuiteSelection:
        """All programs and models, with the solver that is asked for."""
        return SuiteSelection(solver=self.choice.solver)

    def check(self) -> None:
        """Raise CheckerError for options that mean nothing here, before anything is measured."""
        for suite in self.suites:
            if self.choice.solver is not None and not suite.has_solver:
                raise CheckerError(f"--solver means nothing to the suite {suite.name}, which compares them all")
            if not suite.cases(self.choice):
                programs = ", ".join(dict.fromkeys(case.program for case in suite.cases(SuiteSelection())))
                raise CheckerError(f"the suite {suite.name} has none of these programs; it has {programs}")
        if self.plots:
            check_can_draw()


def run(request: SuiteRequest) -> tuple[bool, bool]:
    """Run the suites, one after the other. Returns whether figures were contradicted, and whether rows failed.

    Raises CheckerError for wrong requests; KeyboardInterrupt after the outputs for what is there were written.
    """
    request.check()
    concluded = [_conclude(suite, _run(suite, request), request) for suite in request.suites]
    return any(wrong for wrong, _ in concluded), any(broken for _, broken in concluded)


def _run(suite: Suite, request: SuiteRequest) -> list[Row]:
    cases = suite.cases(request.choice)
    forget = request.fresh and request.choice == request.everything
    rows = Rows(request.folder / f"{suite.name}.jsonl", KEY, Columns, optional=OPTIONAL, fresh=forget)
    try:
        _take(suite, cases, rows, request)
    finally:
        found = _write(suite, rows, request)
    return found


def _take(suite: Suite, cases: Sequence[BenchCase], rows: Rows, request: SuiteRequest) -> None:
    wanted = missing(cases, rows, request.timeout, fresh=request.fresh)
    print(f"{suite.name}: {len(cases)} rows, {len(wanted)} to measure", flush=True)
    for line in take(wanted, rows, request.timeout, request.jobs if suite.counts else 1, suite.name):
        tell(f"  {line}", sys.stdout)


def _write(suite: Suite, rows: Rows, request: SuiteRequest) -> list[Row]:
    """Write all outputs of a suite, from all that was measured for it with this solver; returns these rows."""
    order = list(
        dict.fromkeys(case.key for choice in (request.everything, request.choice) for case in suite.cases(choice))
    )
    rows.arrange(order)
    found = [row for key in order if (row := rows.get(*key)) is not None and is_whole(row)]
    if not found:
        return []
    folder = request.folder
    made = f"Made by `{request.command}`. {sentence(found)}"
    parts = [f"# {suite.title}", made, ONE_RUN, *_busy(found), *suite.sections(found)]
    write_atomically(folder / f"{suite.name}.md", "\n\n".join(parts) + "\n")
    write_atomically(folder / f"{suite.name}.csv", as_csv(found))
    for name, text in suite.extra_files(found).items():
        write_atomically(folder / name, text)
    if request.plots:
        draw(suite.figures(found), folder)
    return found


def _busy(rows: Sequence[Row]) -> list[str]:
    """A sentence if the rows waited for the processor."""
    wall, cpu = (sum(row[column] or 0.0 for row in rows) for column in ("wall_s", "cpu_s"))
    return [BUSY.format(ratio=wall / cpu)] if cpu and wall > BUSY_FROM * cpu else []


def _conclude(suite: Suite, rows: list[Row], request: SuiteRequest) -> tuple[bool, bool]:
    """Tell where everything is and what is wrong with it."""
    for contradiction in (wrong := suite.contradicted(rows)):
        print(f"{suite.name}: contradiction: {contradiction}", file=sys.stderr)
    for row in (broken := [row for row in rows if row["verdict"] == "error"]):
        title = f"{row['program']}({row['parameters']}) {row['model']}"
        print(f"{suite.name}: {title}: {how_it_ended(row)}", file=sys.stderr)
    count = f"{len(rows)} of {len(suite.cases(request.everything))} rows"
    print(f"{suite.name}: {count}, see {request.folder / suite.name}.md")
    return bool(wrong), bool(broken)
