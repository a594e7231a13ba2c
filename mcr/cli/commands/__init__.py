"""The commands, a module each: its docstring is what `mcr NAME --help` says first."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Protocol, cast

from mcr.cli.status import Status

COMMANDS = {
    "bench": "seeds, executions, classes and time of programs, by algorithm",
    "certify": "does a certificate show that a program is verified?",
    "check": "check programs under memory models",
    "compare": "what each memory model allows",
    "diy": "generate litmus tests from cycles",
    "doctor": "is this installation in order?",
    "explain": "why a load can or cannot read another value",
    "explore": "a page in which you choose what happens next",
    "levels": "how safe the methods of a class are together",
    "linearizable": "whether a class is thread-safe",
    "litmus": "run litmus tests in herd's format",
    "repair": "which fences a program needs",
    "replay": "play a recorded failure again",
    "verify": "is a trace consistent with a memory model?",
}
"""What each command is for, by the name of its module: the list of all is told without any of them being imported."""


class Command(Protocol):
    """A module in this folder."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Say what it takes."""

    def run(self, arguments: argparse.Namespace) -> Status:
        """Do it. A CheckerError is printed, and gives status 2."""


def command(name: str) -> Command:
    """The command of that name."""
    return cast(Command, import_module(f"{__name__}.{name}"))
