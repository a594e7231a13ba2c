"""The commands, one file each. A new file here is a new command."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from mcr.cli.command import Command


def commands() -> list[Command]:
    """All commands, by name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return [import_module(f"{__name__}.{name}").COMMAND for name in names]
