"""The command line: `mcr COMMAND ...`.

Each command is one file in `mcr.cli.commands`. Nothing that takes time to
import (solvers, progress bars) is imported before a command needs it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mcr.cli.commands import commands
from mcr.cli.errors import complain
from mcr.cli.status import EXPLAINED, Status

_EPILOG = f"""\
examples:
  mcr check examples/peterson.py                check every program in a file, under SC, TSO and PSO
  mcr check examples/bakery.py::bakery --set n=3 --model tso
  mcr check examples/ --timeout 60 --json       check a folder, for machines
  mcr replay .mcr/peterson-tso.json             play a failure again, step by step

{EXPLAINED}

`mcr COMMAND --help` says more about a command.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:  # argparse has said what there is to say
        return Status.WRONG_USE if end.code else Status.VERIFIED
    try:
        status: Status = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Status.INCOMPLETE
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.INCOMPLETE
    except Exception as error:
        complain(error)
        return Status.WRONG_USE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mcr",
        description="Check racy concurrent programs, modelled in Python, under the memory models SC, TSO and PSO.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in commands():
        subparser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            epilog=EXPLAINED,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser
