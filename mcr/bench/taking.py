"""Takes the measurements that are missing; an interrupted or killed run goes on where it stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from mcr.bench.case import BenchCase
from mcr.bench.process import FIGURES, measured, unmeasured
from mcr.bench.rows import Row, Rows
from mcr.bench.text import executions, how_it_ended, seconds
from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Task, Tell

NOT_ASKED = "not asked"
"""The verdict of a row whose algorithm cannot do what is asked."""


def missing(cases: Iterable[BenchCase], rows: Rows, timeout: float, *, fresh: bool = False) -> list[BenchCase]:
    """The cases that are to be measured: with `fresh`, all of them."""
    return [case for case in cases if fresh or _is_missing(rows.get(*case.key), timeout)]


def take(cases: Sequence[BenchCase], rows: Rows, timeout: float, jobs: int | None, name: str) -> Iterator[str]:
    """Measure these cases, each in a process of its own, up to `jobs` at once; a line on each as it is known.

    Raises KeyboardInterrupt at the end if Ctrl-C came: what was measured until then is in `rows`.
    """
    done = answers(_task(rows, timeout), cases, Executor(jobs))
    for case, _ in zip(_with_progress(cases, name), done, strict=True):
        row = rows.get(*case.key)
        if row is not None:
            yield f"{case.title}: {executions(row)} executions, {seconds(row['wall_s'])} s, {how_it_ended(row)}"


def _task(rows: Rows, timeout: float) -> Task[BenchCase, bool]:
    """Takes measurements; each is on disk as soon as it is known, wherever it was taken."""

    def do(case: BenchCase, tell: Tell) -> bool:
        tell.news(measured(case, timeout))
        return True

    def died(case: BenchCase, how: str) -> bool:
        rows.add(unmeasured(case, timeout, how))
        return True

    def hear(case: BenchCase, row: object) -> None:
        assert isinstance(row, dict)
        rows.add(row)

    return Task(do, died, hear)


def _is_missing(row: Row | None, timeout: float) -> bool:
    """Returns True if a case was never measured, its measurement failed, or there is more time now."""
    if row is None or not is_whole(row) or row["verdict"] == "error":
        return True
    return bool(row["verdict"] == "incomplete" and row["limit_s"] < timeout)


def is_whole(row: Row) -> bool:
    """Returns True if a row has all columns that reports show; those of earlier versions had fewer."""
    return row.keys() >= set(FIGURES) - {"seeds_asked", "seeds_satisfiable", "seeds_enforced", "global_states"}


def _with_progress(cases: Sequence[BenchCase], name: str) -> Iterable[BenchCase]:
    if not sys.stderr.isatty():
        return cases
    from tqdm import tqdm

    bar: Iterable[BenchCase] = tqdm(cases, desc=name, unit="row", file=sys.stderr, leave=False, dynamic_ncols=True)
    return bar


def tell(line: str, stream: TextIO) -> None:
    """Print a line at once, above the progress bar if there is one."""
    from tqdm import tqdm

    tqdm.write(line, file=stream)
    stream.flush()
