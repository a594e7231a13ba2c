"""The command line: `mcr COMMAND ...`.

Each command is one file in `mcr.cli.commands`. Nothing that takes time to
import (solvers, progress bars) is imported before a command needs it; and
nothing at all before `main` is there to answer Ctrl-C.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # type checkers believe otherwise; see mcr/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcr.cli.commands import Command


def main(argv: Sequence[str] | None = None, command: Command | None = None) -> int:
    """Run a command, `command` if it is not one of ours; returns the exit status."""
    try:
        from mcr.cli.status import Status
        from mcr.cli.streams import OutputError, careful_streams, forget_output

        try:
            with careful_streams():
                from mcr.cli.parser import run

                return run(argv, command)
        except OutputError as error:
            forget_output()
            if not error.unread:
                print(f"error: {error}", file=sys.stderr)
                return Status.WRONG_USE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    from mcr.cli.status import Status

    return Status.INCOMPLETE
