"""`mcr diy`: generate litmus tests from cycles of relations, and run them."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.commands import Command, run_by
from mcr.keys import add_arguments, count

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
    parser.add_argument("--threads", metavar="N", type=count, default=2, help="at most (default: 2)")
    parser.add_argument(
        "--edges", metavar="N", type=count, default=4, help="relations in a cycle, at most (default: 4)"
    )
    add_arguments(parser, "models", "jobs")
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="write the tests there, as .litmus files")
    parser.add_argument("--only-write", action="store_true", help="with -o: do not run them")


COMMAND = Command(
    "diy", "generate litmus tests from cycles", _DESCRIPTION, _add_arguments, run_by("mcr.cli.litmus", "run_diy")
)
