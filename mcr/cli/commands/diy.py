"""`mcr diy`: generate litmus tests from cycles of relations, and run them."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_jobs_argument, add_model_argument, positive_number
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.world.memory_models import MODELS

_DESCRIPTION = """\
Generate a litmus test for every cycle of relations up to some size, run it, and tell which models forbid it.

Relations are named as in diy7: Rfe, Fre, Coe (or Wse) lead to another thread; Rfi, Fri, Coi stay in the thread;
PodWR is program order from a write to a read of another location, PosWR of the same location; MFencedWR and
SFencedWW have a fence between; A and Na after a name say which events are xchg (PodWWANa).

examples:
  mcr diy                                                    two threads, plain accesses and fences
  mcr diy --threads 3 --edges 6 --relations "Rfe Fre Coe PodRR PodRW PodWR PodWW"
  mcr diy --model tso -o generated/                          also write the tests to a folder
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--relations", metavar="NAMES", help="what cycles are made of (default: Rfe Fre Coe, Pod.. and MFenced..)"
    )
    parser.add_argument("--threads", metavar="N", type=positive_number, default=2, help="at most (default: 2)")
    parser.add_argument(
        "--edges", metavar="N", type=positive_number, default=4, help="relations in a cycle, at most (default: 4)"
    )
    add_model_argument(parser)
    add_jobs_argument(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="write the tests there, as .litmus files")
    parser.add_argument("--only-write", action="store_true", help="with -o: do not run them")


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli.generating import DiyRequest, generate
    from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
    from replay.errors import CheckerError

    if arguments.only_write and arguments.output is None:
        raise CheckerError("--only-write needs -o FOLDER")
    request = DiyRequest(
        vocabulary=relations(arguments.relations or " ".join(DEFAULT_RELATIONS)),
        threads=arguments.threads,
        edges=arguments.edges,
        models=arguments.model or tuple(MODELS),
        jobs=arguments.jobs,
        folder=arguments.output,
        runs=not arguments.only_write,
    )
    return generate(request)


COMMAND = Command("diy", "generate litmus tests from cycles", _DESCRIPTION, _add_arguments, _run)
