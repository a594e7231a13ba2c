"""The commands, one file each. A new file here is a new command."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from mcr.cli.command import Command


def names() -> list[str]:
    """The names of all commands, sorted."""
    return sorted(module.name for module in iter_modules(__path__))


def command(name: str) -> Command:
    """The command of that name."""
    found: Command = import_module(f"{__name__}.{name}").COMMAND
    return found
