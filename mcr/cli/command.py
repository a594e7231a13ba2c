"""What a command is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from mcr.cli.status import Status


@dataclass(frozen=True)
class Command:
    """A sub-command. Its file assigns one to `COMMAND`; what is slow to import belongs into `run`.

    summary      for the list of commands
    description  for `mcr NAME --help`
    run          does it; CheckerError is printed and gives status 2
    """

    name: str
    summary: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Status]
