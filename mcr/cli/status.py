"""How a command ends: exit statuses, and the message if something goes wrong."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcr.exploration.verdict import Verdict


class Status(enum.IntEnum):
    VERIFIED = 0
    BUG = 1
    WRONG_USE = 2
    INCOMPLETE = 3

    @classmethod
    def of(cls, verdict: Verdict) -> Status:
        """The status of a check with this verdict."""
        return cls[verdict.name]


_GRAVITY = (Status.VERIFIED, Status.INCOMPLETE, Status.BUG, Status.WRONG_USE)

EXPLAINED = """\
exit status:
  0  verified: all that can be reached was seen, and nothing fails
  1  a bug was found
  2  wrong use, or a model that is broken
  3  incomplete: interrupted, stopped by a limit, or the output was closed early
For several programs or models the gravest status counts: 2, then 1, then 3, then 0."""


def gravest(statuses: Iterable[Status]) -> Status:
    """Combines several statuses: wrong use outranks a bug, a bug outranks incomplete."""
    return max(statuses, key=_GRAVITY.index, default=Status.VERIFIED)


def complain(error: Exception) -> None:
    """Print the message of an error on standard error."""
    from mcr.report.source import message_of

    print(f"error: {message_of(error)}", file=sys.stderr)
