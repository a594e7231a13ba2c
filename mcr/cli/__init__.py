"""The command line: `mcr COMMAND ...`.

Each command is one file in `mcr.cli.commands`. Nothing that takes time to
import (solvers, progress bars) is imported before a command needs it; and
nothing at all before `main` is there to answer Ctrl-C.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # type checkers believe otherwise; see mcr/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    try:
        from mcr.cli.parser import run

        return run(argv)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    from mcr.cli.status import Status

    return Status.INCOMPLETE
