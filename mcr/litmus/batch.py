"""Runs many litmus files under many models, on many processes, in one order."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcr.exploration.options import Options
from mcr.explorers.registry import AUTO
from mcr.jobs.executor import Each, Executor, answers
from mcr.jobs.task import unwatched
from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse_file
from mcr.litmus.run import Report, run, unknown
from replay.errors import CheckerError, ModelError


@dataclass(frozen=True)
class FileResult:
    """What became of one file: a report for each model, or the reason why it is refused."""

    file: str
    reports: tuple[Report, ...] = ()
    refusal: str = ""


def litmus_files(paths: Iterable[str]) -> list[Path]:
    """The files named, and all .litmus files below the folders named, sorted. Raises CheckerError if there is none."""
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        below = sorted(path.rglob("*.litmus")) if path.is_dir() else [path]
        if not below:
            raise CheckerError(f"{name}: there is no .litmus file in this folder")
        found += below
    return list(dict.fromkeys(found))


def run_file(path: Path, models: Sequence[str], options: Options, algorithm: str) -> FileResult:
    """Run one file under every model."""
    try:
        test = parse_file(path)
        return FileResult(str(path), tuple(run(test, model, options, algorithm) for model in models))
    except LitmusError as error:
        return FileResult(str(path), refusal=str(error))
    except ModelError as error:
        return FileResult(str(path), refusal=str(LitmusError(error.message, error.where or str(path))))


def run_files(
    files: Sequence[Path], models: Sequence[str], options: Options, jobs: int | None = 1, algorithm: str = AUTO
) -> Iterator[FileResult]:
    """The results in the order of the files, whatever the number of processes; None: as many as there are cores."""
    executing = Executor(jobs, unwatched)
    options = options.beside(min(executing.jobs, len(files)))
    work = functools.partial(run_file, models=models, options=options, algorithm=algorithm)
    found = answers(Each(work, functools.partial(_died, models)), files, executing)
    yield from (result for result in found if result is not None)


def _died(models: Sequence[str], path: Path, how: str) -> FileResult:
    """What is told of a file whose process ended: that nothing is known of it, under any model."""
    test = parse_file(path)
    return FileResult(str(path), tuple(unknown(test, model, how) for model in models))
