"""`mcr check`: explore programs, tell what fails."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_library, add_output_arguments, add_targets, svg_file
from mcr.cli.commands import Command, run_by
from mcr.keys import KEYS, add_arguments

_DESCRIPTION = """\
Check programs: whether an assertion can fail, or threads wait for ever, in any execution that the memory model allows.

A failure is reported with a short interleaving that shows it, and written to a file that `mcr replay` plays
again. For a failure found under one model, the other models are searched for it too (10 s each at most).

Models, solver, limits and folder that are not given are those of [tool.mcr] in pyproject.toml, if it has them.

examples:
  mcr check examples/                       every program below a folder, under SC, TSO and PSO
  mcr check peterson.py::peterson --model tso
  mcr check bakery.py::bakery --set n=3 --timeout 60
  mcr check examples/ --jobs 4              four explorations at once
  mcr check bakery.py --set n=8 --sample 10000   random schedules, where a proof takes too long
  mcr check bakery.py --plot growth.svg     how the explorations grew, and where the time went
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    default = "default: all, but sc where only ordinary objects are shared"
    add_arguments(parser, "models", "python", "objective", models=f"{KEYS['models'].help} ({default})")
    parser.add_argument(
        "--races", action="store_true", help="look for accesses of plain cells that nothing orders (objective races)"
    )
    add_arguments(parser, "deadlocks", "keep_going", "census", "paranoid")
    parser.add_argument(
        "--save", dest="folder", metavar="FOLDER", type=Path, help="where failing traces go (default: .mcr)"
    )
    parser.add_argument(
        "--certificate",
        metavar="FOLDER",
        type=Path,
        help="for each verified program, write what shows it, for `mcr certify` (docs/certificates.md)",
    )
    jobs = parser.add_argument_group("many at once (docs/scaling.md)")
    add_arguments(jobs, "jobs")
    jobs.add_argument(
        "--cluster", metavar="ADDRESS", help="let the workers of a Dask cluster explore: the address of its scheduler"
    )
    jobs.add_argument(
        "--resume",
        metavar="FOLDER",
        type=Path,
        help="keep there what is found out, and go on from what an earlier run has left there",
    )
    limits = parser.add_argument_group("limits, for each program and model (beyond them the verdict is: incomplete)")
    add_arguments(limits, "sample", "timeout", "memory", "max_executions", "max_operations", "buffer", timeout="time")
    add_arguments(parser, "algorithm", "merge", "reduce", "symmetry", "solver")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = add_output_arguments(parser)
    add_library(output)
    output.add_argument(
        "--coverage", action="store_true", help="tell which lines and branches of thread code no execution reaches"
    )
    output.add_argument(
        "--coverage-file",
        metavar="FILE",
        type=Path,
        help="write that for editors: as coverage.py does (.json), or in the format of lcov (any other name)",
    )
    output.add_argument(
        "--states",
        metavar="FILE.svg",
        type=svg_file,
        help="draw the local states of a program's threads, and its code with the lines that no execution reaches",
    )
    output.add_argument("--quiet", action="store_true", help="tell only what is not verified")
    output.add_argument("--verbose", action="store_true", help="tell which algorithm did it, and what it took")
    output.add_argument(
        "--plot",
        metavar="FILE",
        type=Path,
        help="draw local states and executions over time, and where the time went (.svg or .png; needs matplotlib)",
    )


COMMAND = Command(
    "check", "check programs under memory models", _DESCRIPTION, _add_arguments, run_by("mcr.cli.checking")
)
