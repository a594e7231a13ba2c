"""`mcr compare`: what each memory model allows."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_output_arguments, add_targets
from mcr.cli.commands import Command, run_by
from mcr.keys import add_arguments, count

_DESCRIPTION = """\
Explore programs under SC, TSO and PSO, and tell what is possible under PSO only, under TSO and PSO, and everywhere.

With --algorithms, compare algorithms instead: a row for each program, model and algorithm, with what it took; each
runs in a process of its own. What an objective counts as one class decides which executions are redundant.

Without, the table has a row for each program and model: verdict, executions and local states as `mcr check` finds them,
deadlocks being bugs here; outcomes (what the final function returns, or the threads if there is none); and classes
of executions that read the same values, or from the same stores (rf). Each outcome and failure comes with a file
that `mcr replay` plays.

examples:
  mcr compare examples/peterson.py
  mcr compare mutex.py::mutex --set n=3 --timeout 60 --show 5
  mcr compare mutex.py::mutex --algorithms                        every algorithm
  mcr compare mutex.py::mutex --algorithms cover,trust,rf-smc --objective rf --model tso --plot seeds.svg

Exit status 0 means that everything was explored, 3 that a limit cut something: such cells say "incomplete". Ctrl-C
ends it with the programs that were compared until then.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    parser.add_argument(
        "--show",
        metavar="N",
        type=count,
        default=20,
        help="behaviours of each group to list and save (20)",
    )
    parser.add_argument("--save", dest="folder", metavar="FOLDER", type=Path, help="where witnesses go (default: .mcr)")
    add_arguments(parser, "jobs")
    limits = parser.add_argument_group("limits, for each exploration: three per program and model")
    add_arguments(limits, "timeout", "memory", "max_executions", timeout="time (default: 60)")
    add_arguments(parser, "solver", "algorithm", "merge")
    add_output_arguments(parser)
    side = parser.add_argument_group("algorithms side by side")
    side.add_argument(
        "--algorithms",
        metavar="NAMES",
        nargs="?",
        const="",
        help="names, with commas between them; none: all that look for the objective",
    )
    add_arguments(side, "objective", "models", objective="states (default), or another that `mcr check` knows")
    side.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw executions and seconds (.svg or .png; needs matplotlib)"
    )


COMMAND = Command("compare", "what each memory model allows", _DESCRIPTION, _add_arguments, run_by("mcr.cli.comparing"))
