"""The parser of the command line, and the start of the command."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from mcr import plugins
from mcr.cli.commands import COMMANDS, Command, command
from mcr.cli.status import EXPLAINED, Status, complain
from mcr.cli.streams import OutputError
from mcr.keys import project_plugins
from replay.errors import CheckerError
from replay.sentences import did_you_mean

_EPILOG = f"""\
examples:
  mcr check test_cache.py::test_two_writers     run a test that starts threads under every schedule
  mcr check examples/peterson.py                check every program in a file, under SC, TSO and PSO
  mcr check examples/bakery.py::bakery --set n=3 --model tso
  mcr check examples/ --timeout 60 --json       check a folder, for machines
  mcr replay .mcr/peterson-tso.json             play a failure again, step by step

{EXPLAINED}

`mcr COMMAND --help` says more about a command.
"""


def run(argv: Sequence[str] | None) -> Status:
    """Run a command, and tell what is wrong with it. KeyboardInterrupt and OutputError are left to the caller."""
    words = sys.argv[1:] if argv is None else argv
    try:
        if words and words[0] in COMMANDS:
            plugins.load([*project_plugins(Path.cwd()), *plugins.named_on(words)])
        parser = _parser(words)
        if not words:
            parser.print_help(sys.stderr)
            return Status.WRONG_USE
        arguments = parser.parse_args(words)
        if argv is None:
            del sys.argv[1:]  # what is checked may look, and these are the arguments of mcr
    except CheckerError as error:
        complain(error)
        return Status.WRONG_USE
    except SystemExit as end:  # argparse has said what there is to say
        sys.stdout.flush()
        return Status.WRONG_USE if end.code else Status.VERIFIED
    if argv is None:
        gc.enable()
    try:
        status: Status = arguments.run(arguments)
        _name_plugins(arguments)
        sys.stdout.flush()
    except OutputError:
        raise
    except Exception as error:
        complain(error)
        return Status.WRONG_USE
    return status


def _name_plugins(arguments: argparse.Namespace) -> None:
    """Name the plug-ins below a report for people; documents have them in a field."""
    known = vars(arguments)
    if plugins.loaded() and not any(known.get(name) for name in ("json", "format", "short")):
        print(f"With plug-ins: {', '.join(plugins.loaded())}")


class _Parser(argparse.ArgumentParser):
    """Says in a line what is wrong, and which command or option was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Leave out the list of all options, below which the message would be lost."""
        self.exit(Status.WRONG_USE, f"error: {message}\n`{self.prog} --help` says what there is\n")

    def parse_known_args(self, *given: Any, **more: Any) -> tuple[Any, list[str]]:
        """Every command knows all that it may be told: what it does not know is refused by itself."""
        found: tuple[Any, list[str]] = super().parse_known_args(*given, **more)
        if found[1]:
            options = [option for action in self._actions for option in action.option_strings]
            near = did_you_mean(found[1][0].partition("=")[0], options)
            self.error(f"unrecognized arguments: {' '.join(found[1])}{near}")
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise


class _Version(argparse.Action):
    """Prints the version, which is looked up only when it is asked for: that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mcr {version('mcr-checker')}")
        parser.exit()


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Knows the command that comes first; the names of all, if none does."""
    parser = _Parser(
        prog="mcr",
        description="Run concurrent Python under every schedule: tests that start threads, and models of algorithms "
        "under the memory models SC, TSO and PSO.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    first = next((word for word in argv if word != "--"), "")
    if first in COMMANDS:
        _fill(subparsers.add_parser(first), command(first))
    else:
        for name, summary in COMMANDS.items():
            subparsers.add_parser(name, help=summary)
    return parser


def _fill(parser: argparse.ArgumentParser, known: Command) -> None:
    """Adds the arguments of a command, and its function."""
    parser.description, parser.epilog = known.__doc__, EXPLAINED
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    known.add_arguments(parser)
    plugins.add_argument(parser)
    parser.set_defaults(run=known.run)
