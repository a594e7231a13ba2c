"""Runs many litmus files under many models, on many processes, in one order."""

from __future__ import annotations

import functools
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mcr.exploration.options import Options
from mcr.explorers.registry import AUTO
from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse_file
from mcr.litmus.run import Report, run
from replay.errors import CheckerError, ModelError

Item = TypeVar("Item")
Done = TypeVar("Done")

_CHUNK = 8
"""Files that a process takes at a time: enough to make the passing around cheap, few enough to share evenly."""


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
    files: Sequence[Path], models: Sequence[str], options: Options, jobs: int = 1, algorithm: str = AUTO
) -> Iterator[FileResult]:
    """The results in the order of the files, whatever the number of processes."""
    yield from spread(functools.partial(run_file, models=models, options=options, algorithm=algorithm), files, jobs)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def spread(work: Callable[[Item], Done], items: Sequence[Item], jobs: int) -> Iterator[Done]:
    """map(work, items), on several processes if there is enough to do."""
    if jobs <= 1 or len(items) <= _CHUNK:
        yield from map(work, items)
        return
    # spawn: a forked child would inherit the parent's watchdog without its thread
    with multiprocessing.get_context("spawn").Pool(jobs, _leave_interrupts_to_the_parent) as pool:
        yield from pool.imap(work, items, chunksize=_CHUNK)
