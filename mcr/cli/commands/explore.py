"""Write one HTML file in which you choose the next step of any thread or store buffer, see threads, memory and buffers,
and what each choice can still lead to; go back, let it show a way to a failure, and save the steps for `mcr replay`.

Up to 400,000 states are explored, those nearest to the beginning first. If none of them fails, the states on the way to
a failure that `mcr check` finds within 20 s are explored as well. Where there are more, raise --states, or save the
steps that lead to the end of what is known, and go on from there with --after.

examples:
  mcr explore peterson.py::peterson --model tso
  mcr explore bakery.py::bakery --set n=3 --after bakery-tso.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mcr.cli.arguments import add_options, add_settings, one_model
from mcr.cli.request import aside
from mcr.cli.status import Status
from mcr.diagnosis.walks import MOST, walks
from mcr.report.explorer.page import explorer_page
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.sentences import counted
from replay.traces.files import load_trace
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="FILE::NAME", help="the program, or a file that defines one")
    add_settings(parser)
    parser.add_argument("--model", metavar="MODEL", type=one_model, default="tso", help="memory model (default: tso)")
    rest = {
        "--after TRACE.json": "begin after these steps",
        "--states N": "explore so many states (default: 400,000)",
        "-o, --output FILE.html": "the page (default: NAME-MODEL.html)",
    }
    add_options(parser, rest)


def run(arguments: argparse.Namespace) -> Status:
    with aside():
        programs = list(find_programs(arguments.target))
        if len(programs) != 1:
            raise CheckerError(f"explore shows one program, not {len(programs)}: use FILE::NAME")
        program = programs[0](**dict(arguments.settings)) if arguments.settings else programs[0]
        after = None if arguments.after is None else load_trace(arguments.after)
        found = walks(program, MODELS[arguments.model], most=arguments.states or MOST, after=after)
        page = explorer_page(found)
    file = arguments.output or Path(f"{program.name}-{arguments.model}.html")
    write_atomically(file, page)
    print(f"{counted(len(found), 'state')}. The page is in {file}.")
    if found.open:
        print(f"{counted(found.open, 'state')} not explored; raise --states to include them")
    return Status.VERIFIED
