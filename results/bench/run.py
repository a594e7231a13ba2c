"""What `python -m results.bench` does: take the measurements that are missing, then write tables and plots."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Task, Tell
from replay.errors import CheckerError
from replay.files import write_atomically
from results.bench.case import KEY, Case
from results.bench.columns import Columns
from results.bench.drawing import check_can_draw, draw
from results.bench.environment import sentence
from results.bench.process import FIGURES, lost, measured
from results.bench.rows import Row, Rows, as_csv
from results.bench.suite import TIMEOUT, Choice, Suite
from results.bench.text import executions, how_it_ended, seconds

ONE_RUN = "Each row is one run, in a process of its own; times are seconds."


@dataclass(frozen=True)
class BenchRequest:
    """Which suites to run, and how.

    timeout  seconds for a row
    fresh    forget what was measured before
    plots    draw them
    jobs     how many rows are measured at once of suites that only count, None for as many as there are cores
    """

    suites: Sequence[Suite]
    choice: Choice = field(default_factory=Choice)
    folder: Path = Path("results")
    timeout: float = TIMEOUT
    fresh: bool = False
    plots: bool = True
    jobs: int | None = None

    def check(self) -> None:
        """Raise CheckerError for options that mean nothing here, before anything is measured."""
        for suite in self.suites:
            if self.choice.solver is not None and not suite.has_solver:
                raise CheckerError(f"--solver means nothing to the suite {suite.name}, which compares them all")
            if self.choice.largest is not None and not suite.has_largest:
                raise CheckerError(f"--largest means nothing to the suite {suite.name}")
            if not suite.cases(self.choice):
                programs = ", ".join(dict.fromkeys(case.program for case in suite.cases(Choice())))
                raise CheckerError(f"the suite {suite.name} has none of these programs; it has {programs}")
        if self.plots:
            check_can_draw()


@dataclass(frozen=True)
class Finished:
    """A suite whose outputs are written, and the rows in them."""

    suite: Suite
    rows: list[Row]


def run(request: BenchRequest) -> Iterator[Finished]:
    """Run the suites, one after the other.

    Raises CheckerError for wrong requests; KeyboardInterrupt after the outputs for what is there were written.
    """
    request.check()
    for suite in request.suites:
        cases = suite.cases(request.choice)
        rows = Rows(request.folder / f"{suite.name}.jsonl", KEY, Columns, fresh=request.fresh)
        try:
            _measure(suite, cases, rows, request)
        finally:
            found = _write(suite, rows, request)
        yield Finished(suite, found)


def _measure(suite: Suite, cases: Sequence[Case], rows: Rows, request: BenchRequest) -> None:
    missing = [case for case in cases if is_missing(rows.get(*case.key), request.timeout)]
    print(f"{suite.name}: {len(cases)} rows, {len(missing)} to measure", flush=True)
    executing = Executor(request.jobs if suite.counts else 1)
    done = answers(_measuring(rows, request.timeout), missing, executing)
    for case, _ in zip(_with_progress(missing, suite.name), done, strict=True):
        row = rows.get(*case.key)
        if row is not None:
            _tell(f"  {case.title}: {executions(row)} executions, {seconds(row['wall_s'])} s, {how_it_ended(row)}")


def _measuring(rows: Rows, timeout: float) -> Task[Case, bool]:
    """Takes measurements; each is on disk as soon as it is known, wherever it was taken."""

    def do(case: Case, tell: Tell) -> bool:
        tell.news(measured(case, timeout))
        return True

    def died(case: Case, how: str) -> bool:
        rows.add(lost(case, timeout, how))
        return True

    def hear(case: Case, row: Any) -> None:
        rows.add(row)

    return Task(do, died, hear)


def is_missing(row: Row | None, timeout: float) -> bool:
    """Whether a case is to be measured: it never was, it failed, or there is more time now."""
    if row is None or not _is_whole(row) or row["verdict"] == "error":
        return True
    return bool(row["verdict"] == "incomplete" and row["limit_s"] < timeout)


def _is_whole(row: Row) -> bool:
    """Whether a row has all columns, and is not of an earlier version that had fewer."""
    return row.keys() >= set(FIGURES)


def _with_progress(cases: Sequence[Case], name: str) -> Iterable[Case]:
    if not sys.stderr.isatty():
        return cases
    from tqdm import tqdm

    bar: Iterable[Case] = tqdm(cases, desc=name, unit="row", file=sys.stderr, leave=False, dynamic_ncols=True)
    return bar


def _tell(line: str) -> None:
    from tqdm import tqdm

    tqdm.write(line, file=sys.stdout)
    sys.stdout.flush()


def _write(suite: Suite, rows: Rows, request: BenchRequest) -> list[Row]:
    """Write all outputs of a suite, from all that was measured for it with this solver; returns these rows."""
    everything = Choice(solver=request.choice.solver, largest=request.choice.largest)
    order = list(dict.fromkeys(case.key for choice in (everything, request.choice) for case in suite.cases(choice)))
    rows.arrange(order)
    found = [row for key in order if (row := rows.get(*key)) is not None and _is_whole(row)]
    if not found:
        return []
    folder = request.folder
    parts = [f"# {suite.title}", sentence(found), ONE_RUN, *suite.sections(found)]
    write_atomically(folder / f"{suite.name}.md", "\n\n".join(parts) + "\n")
    write_atomically(folder / f"{suite.name}.csv", as_csv(found))
    for name, text in suite.extra_files(found).items():
        write_atomically(folder / name, text)
    if request.plots:
        draw(suite.figures(found), folder)
    return found
