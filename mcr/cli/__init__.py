"""The command line: `mcr COMMAND ...`.

Each command is a module in `mcr.cli.commands`, which is imported when it is asked for; nothing at all is imported
before `main` is there to answer Ctrl-C.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # type checkers believe otherwise; see mcr/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status.

    Without `argv` it is all that this process does: no garbage is looked for while it starts, nor when it ends.
    """
    if argv is not None:
        return _main(argv)
    gc.disable()  # until `mcr.cli.parser.run` knows what to do
    try:
        return _main(None)
    finally:
        gc.freeze()


def _main(argv: Sequence[str] | None) -> int:
    try:
        from mcr.cli.status import Status
        from mcr.cli.streams import OutputError, careful_streams, forget_output

        try:
            with careful_streams():
                from mcr.cli.parser import run

                return run(argv)
        except OutputError as error:
            forget_output()
            if not error.unread:
                print(f"error: {error}", file=sys.stderr)
                return Status.WRONG_USE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    from mcr.cli.status import Status

    return Status.INCOMPLETE
