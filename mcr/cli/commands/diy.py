"""Generate a litmus test for every cycle of relations up to some size, run it, and tell which models forbid it.

Relations are named as in diy7: Rfe, Fre, Coe (or Wse) lead to another thread; Rfi, Fri, Coi stay in the thread;
PodWR is program order from a write to a read of another location, PosWR of the same location; MFencedWR and
SFencedWW have a fence between; A and Na after a name say which events are xchg (PodWWANa).

examples:
  mcr diy                                                    two threads, plain accesses and fences
  mcr diy --threads 3 --edges 6 --relations "Rfe Fre Coe PodRR PodRW PodWR PodWW"
  mcr diy --model tso -o generated/                          also write the tests to a folder
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_options
from mcr.cli.progress import with_progress
from mcr.cli.status import Status
from mcr.exploration.options import Options
from mcr.keys import add_keys
from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
from mcr.litmus.diy.survey import Collection, collect, survey, survey_table
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.world.memory_models import MODELS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    cycles = {
        "--relations NAMES": "what cycles are made of (default: Rfe Fre Coe, Pod.. and MFenced..)",
        "--threads N": "at most (default: 2)",
        "--edges N": "relations in a cycle, at most (default: 4)",
    }
    add_options(parser, cycles, threads=2, edges=4)
    add_keys(parser, "models", "jobs")
    files = {
        "-o, --output FOLDER": "write the tests there, as .litmus files",
        "--only-write": "with -o: do not run them",
    }
    add_options(parser, files)


def run(arguments: argparse.Namespace) -> Status:
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
