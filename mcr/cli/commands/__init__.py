"""The commands, a module each: its docstring is what `mcr NAME --help` says first."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Protocol, cast

from mcr.cli.status import Status

COMMANDS = {
    "bench": "measure algorithms on your programs",
    "certify": "check that a certificate proves a program verified",
    "check": "check programs under memory models",
    "compare": "compare what each memory model allows",
    "diy": "generate litmus tests from cycles",
    "doctor": "check this installation",
    "explain": "explain why a load can or cannot read another value",
    "explore": "write a page in which you choose each step",
    "levels": "tell how safe each two methods of a class are together",
    "linearizable": "check whether a class is thread-safe",
    "litmus": "run litmus tests in herd's format",
    "repair": "find the fences that a program needs",
    "replay": "play a recorded failure again",
    "verify": "check a trace against a memory model",
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
