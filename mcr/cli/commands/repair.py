"""`mcr repair`: which fences a program needs."""

from __future__ import annotations

import argparse

from mcr.cli.arguments import add_output_arguments, add_targets
from mcr.cli.commands import Command, run_by
from mcr.keys import KEYS, add_arguments

_DESCRIPTION = """\
Find the least fences with which programs are verified, and print them as a diff.

A fence goes directly after a line that stores, for all threads that come there. A full fence costs 2, a store fence 1
(and does nothing under TSO). What is printed is verified, and nothing that costs less is. Where a program fails
under SC, no fences help.

examples:
  mcr repair peterson.py                         a diff for TSO, and one for PSO
  mcr repair bakery.py::bakery --set n=3 --model pso --all
  mcr repair peterson.py::peterson_fenced --redundant
                                                 which of the program's own fences it needs

Here exit status 0 means that the fences were found, or none are needed, and 1 that none help.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    add_arguments(parser, "models", models=f"{KEYS['models'].help} (default: all but SC)")
    parser.add_argument("--all", action="store_true", help="every set of least cost")
    parser.add_argument(
        "--redundant", action="store_true", help="which fences of the program itself it needs, and which not"
    )
    limits = parser.add_argument_group("limits, for each program and model")
    add_arguments(limits, "timeout", "memory", "max_operations", timeout="time for all its checks")
    add_arguments(parser, "solver")
    add_output_arguments(parser)


COMMAND = Command("repair", "which fences a program needs", _DESCRIPTION, _add_arguments, run_by("mcr.cli.repairing"))
