"""What users are told when something goes wrong: one message, with file and line."""

from __future__ import annotations

import os

from mcr.report.printable import printable
from replay.errors import CheckerError
from solvers.errors import SolverError


def message_of(error: Exception) -> str:
    """The message of an error that is meant for users; files below the current folder are named relative to it.

    So is that of the operating system about a file. Anything else is a mistake of ours: it comes with its traceback.
    """
    if isinstance(error, CheckerError | SolverError):
        return printable(str(error).replace(os.getcwd() + os.sep, ""))
    if isinstance(error, OSError) and error.strerror:
        return printable(f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror)
    import traceback  # late, as nobody hopes to see it

    trace = printable("".join(traceback.format_exception(error)))
    return f"{trace}this is a mistake in mcr, not in your program; please report it with the lines above"
