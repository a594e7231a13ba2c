"""What the command line may say, and doing it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from mcr.cli.commands import commands
from mcr.cli.errors import complain
from mcr.cli.status import EXPLAINED, Status
from mcr.cli.streams import OutputError

_EPILOG = f"""\
examples:
  mcr check examples/peterson.py                check every program in a file, under SC, TSO and PSO
  mcr check examples/bakery.py::bakery --set n=3 --model tso
  mcr check examples/ --timeout 60 --json       check a folder, for machines
  mcr replay .mcr/peterson-tso.json             play a failure again, step by step

{EXPLAINED}

`mcr COMMAND --help` says more about a command.
"""


def run(argv: Sequence[str] | None) -> Status:
    """Run a command and tell what is wrong with it. KeyboardInterrupt and OutputError are left to the caller."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:  # argparse has said what there is to say
        sys.stdout.flush()
        return Status.WRONG_USE if end.code else Status.VERIFIED
    try:
        status: Status = arguments.run(arguments)
        sys.stdout.flush()
    except OutputError:
        raise
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
