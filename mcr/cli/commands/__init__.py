"""The commands, one file each, and what a command is. A new file here is a new command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from mcr.cli.status import Status


@dataclass(frozen=True)
class Command:
    """A sub-command. Its file assigns one to `COMMAND`.

    summary      for the list of commands
    description  for `mcr NAME --help`
    run          does it (`run_by`); CheckerError is printed and gives status 2
    """

    name: str
    summary: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Status]


def run_by(module: str, function: str = "run") -> Callable[[argparse.Namespace], Status]:
    """A function of a module, which is imported when it is called: help needs nothing of it."""

    def run(arguments: argparse.Namespace) -> Status:
        status: Status = getattr(import_module(module), function)(arguments)
        return status

    return run


def names() -> list[str]:
    """The names of all commands, sorted."""
    return sorted(module.name for module in iter_modules(__path__))


def command(name: str) -> Command:
    """The command of that name."""
    found: Command = import_module(f"{__name__}.{name}").COMMAND
    return found
