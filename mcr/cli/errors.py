"""Telling users that something went wrong."""

from __future__ import annotations

import sys


def complain(error: Exception) -> None:
    """Print the message of an error on standard error."""
    from mcr.report.errors import message_of

    print(f"error: {message_of(error)}", file=sys.stderr)
