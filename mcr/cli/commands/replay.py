"""`mcr replay`: play a recorded failure again."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_library, add_output_arguments, file_named, svg_file
from mcr.cli.commands import Command, run_by
from mcr.keys import count

_DESCRIPTION = """\
Play a recorded execution again, step by step, and compare every step with what was recorded. A program that
does not fit the recording any more is an error that says which step differs.

examples:
  mcr replay .mcr/peterson-tso.json
  mcr replay .mcr/peterson-tso.json --program fixed.py::peterson
  mcr replay --pdb .mcr/peterson-tso.json:5
  mcr replay .mcr/peterson-tso.json --html peterson.html --graph peterson.svg

Here exit status 1 means that the failure occurs again, 0 that it is gone.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE.json", type=Path, help="a file that `mcr check` wrote")
    parser.add_argument("--program", metavar="FILE::NAME", help="play it on this program instead of the recorded one")
    parser.add_argument(
        "--fewest",
        action="store_true",
        help="say with how few context switches and reordered stores the program can fail like this at all",
    )
    parser.add_argument(
        "--times", metavar="N", type=count, help="play what repeats in a run without end so many times (default: once)"
    )
    parser.add_argument(
        "--pdb",
        action="store_true",
        help="stop in Python's debugger before the first row of the report, or the one that TRACE.json:ROW names; "
        "`schedule`, `memory`, `buffers` and `back` are commands there",
    )
    add_library(parser)
    pictures = parser.add_argument_group("pictures")
    pictures.add_argument(
        "--html",
        metavar="FILE.html",
        type=file_named("a page", ".html", ".htm"),
        help="write a timeline to step through in a browser",
    )
    pictures.add_argument("--graph", metavar="FILE.svg", type=svg_file, help="write the execution graph")
    add_output_arguments(parser)


COMMAND = Command("replay", "play a recorded failure again", _DESCRIPTION, _add_arguments, run_by("mcr.cli.replaying"))
