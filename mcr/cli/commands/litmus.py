"""`mcr litmus`: run litmus tests, and translate them from and to Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.commands import Command, run_by
from mcr.keys import add_arguments

_DESCRIPTION = """\
Run litmus tests: X86 and X86_64 as herd7 and diy7 write them, and C with atomics.

Every final state that a memory model allows is found. What has no meaning here (loops, mixed sizes, unknown
instructions, other architectures) is refused with file and line, and counted.

Other commands take .litmus files too. To `mcr check`, `~exists` and `forall` are assertions, and `exists` claims
nothing: the states that satisfy it are marked *>. With --set "ask='witness'" it looks for such a state as if it
were a bug, so that there is a short trace of it to replay.

examples:
  mcr litmus SB.litmus                                    in herd's layout, under SC, TSO and PSO
  mcr litmus tests/ --model tso --table --jobs 2          one row for each test
  mcr litmus tests/ --expect truth.jsonl                  compare with known states; status 1 if any differ
  mcr litmus SB.litmus --emit-python > sb.py              the same test as a Python model
  mcr litmus --from-python examples/litmus.py::iriw       a Python model as a litmus test
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets", metavar="FILE|FOLDER", nargs="+", help="litmus tests; FILE.py::NAME with --from-python"
    )
    limit = "time limit for each test and model"
    add_arguments(parser, "models", "jobs", "timeout", "memory", "algorithm", "merge", timeout=limit)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--table", action="store_true", help="one row for each test")
    what.add_argument("--json", action="store_true", help="one line of JSON for each test and model")
    what.add_argument(
        "--expect", metavar="FILE", type=Path, help="lines of JSON to compare with, as --json writes them"
    )
    what.add_argument(
        "--emit-python", action="store_true", help="print the tests as Python models, and do not run them"
    )
    what.add_argument("--from-python", action="store_true", help="print Python models as litmus tests")


COMMAND = Command("litmus", "run litmus tests in herd's format", _DESCRIPTION, _add_arguments, run_by("mcr.cli.litmus"))
