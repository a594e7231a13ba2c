"""What `mcr diy` does."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.litmus import with_progress
from mcr.cli.status import Status
from mcr.exploration.options import Options
from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
from mcr.litmus.diy.survey import Collection, collect, survey, survey_table
from replay.errors import CheckerError
from replay.world.memory_models import MODELS
from replay.writing import write_atomically


def run(arguments: argparse.Namespace) -> Status:
    """Generate tests, write them, run them, and print which models forbid what."""
    folder, models = arguments.output, arguments.models or tuple(MODELS)
    if arguments.only_write and folder is None:
        raise CheckerError("--only-write needs -o FOLDER")
    vocabulary = relations(arguments.relations or " ".join(DEFAULT_RELATIONS))
    found = collect(vocabulary, arguments.threads, arguments.edges)
    if not found.tests:
        raise CheckerError("these relations make no cycle within the limits; raise --edges or name more --relations")
    if folder is not None:
        _write(found, folder)
    if not arguments.only_write:
        running = survey(found.tests, models, Options(), arguments.jobs)
        surveyed = list(with_progress(running, len(found.tests), "generated tests"))
        print(survey_table(surveyed, models, found.left_out))
    return Status.VERIFIED


def _write(found: Collection, folder: Path) -> None:
    for test in found.tests:
        write_atomically(folder / f"{test.name}.litmus", test.text)
    print(f"{len(found.tests)} tests written to {folder}")
