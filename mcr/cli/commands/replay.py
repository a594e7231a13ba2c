"""`mcr replay`: play a recorded failure again."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.cli.arguments import add_output_arguments, html_file, svg_file
from mcr.cli.command import Command
from mcr.cli.status import Status

if TYPE_CHECKING:
    from mcr.cli.replaying import Replayed
    from mcr.diagnosis.fewest import Fewest

_DESCRIPTION = """\
Play a recorded execution again, step by step, and compare every step with what was recorded. A program that
does not fit the recording any more is an error that says which step differs.

examples:
  mcr replay .mcr/peterson-tso.json
  mcr replay .mcr/peterson-tso.json --program fixed.py::peterson
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
    pictures = parser.add_argument_group("pictures")
    pictures.add_argument(
        "--html", metavar="FILE.html", type=html_file, help="write a timeline to step through in a browser"
    )
    pictures.add_argument("--graph", metavar="FILE.svg", type=svg_file, help="write the execution graph")
    add_output_arguments(parser)


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli.pictures import write_pictures
    from mcr.cli.replaying import document, play
    from mcr.report.document import write_document
    from mcr.report.failure import FailureReport
    from mcr.report.replay import render_fewest, render_replay
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width

    with contextlib.redirect_stdout(sys.stderr):  # what the program prints is not part of the report
        replayed = play(arguments.trace, arguments.program)
    report = FailureReport(replayed.played, replayed.models)
    pictures = write_pictures(report, arguments.html, arguments.graph)
    least = _fewest(replayed) if arguments.fewest else None
    if arguments.json:
        more = {"fewest": least and {"switches": least.switches, "reordered": least.reordered}}
        write_document({**document(replayed), "pictures": pictures, **(more if arguments.fewest else {})}, sys.stdout)
    else:
        style = style_for(sys.stdout, arguments.color)
        lines = render_replay(report, replayed.conclusion, replayed.note, terminal_width(), style)
        print("\n".join(lines))
        if least is not None:
            print("\n".join(render_fewest(least)))
        for name, file in pictures.items():
            print(f"The {name} is in {file}.")
    return replayed.status


def _fewest(replayed: Replayed) -> Fewest | None:
    """None if nothing fails, or if no thread raises what does."""
    from mcr.diagnosis.fewest import fewest
    from replay.world.memory_models import memory_model

    failure = replayed.played.failure
    if failure is None or not failure.is_raised:
        return None
    with contextlib.redirect_stdout(sys.stderr):
        return fewest(replayed.program, memory_model(replayed.played.model), failure.identity)


COMMAND = Command("replay", "play a recorded failure again", _DESCRIPTION, _add_arguments, _run)
