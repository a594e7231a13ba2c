"""What `mcr diy` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcr.cli.litmus import with_progress
from mcr.cli.status import Status
from mcr.exploration.options import Options
from mcr.litmus.diy.relations import Relation
from mcr.litmus.diy.survey import Collection, collect, survey, survey_table
from replay.errors import CheckerError
from replay.writing import write_atomically


@dataclass(frozen=True)
class DiyRequest:
    """Which cycles to make tests of, and what to do with them.

    folder  where to write them, None for nowhere
    runs    whether to run them
    """

    vocabulary: Sequence[Relation]
    threads: int
    edges: int
    models: Sequence[str]
    jobs: int | None = None
    folder: Path | None = None
    runs: bool = True


def generate(request: DiyRequest) -> Status:
    """Generate tests, write them, run them, and print which models forbid what."""
    found = collect(request.vocabulary, request.threads, request.edges)
    if not found.tests:
        raise CheckerError("these relations make no cycle within the limits; raise --edges or name more --relations")
    if request.folder is not None:
        _write(found, request.folder)
    if request.runs:
        running = survey(found.tests, request.models, Options(), request.jobs)
        surveyed = list(with_progress(running, len(found.tests), "generated tests"))
        print(survey_table(surveyed, request.models, found.left_out))
    return Status.VERIFIED


def _write(found: Collection, folder: Path) -> None:
    for test in found.tests:
        write_atomically(folder / f"{test.name}.litmus", test.text)
    print(f"{len(found.tests)} tests written to {folder}")
