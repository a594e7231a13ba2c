"""`mcr levels`: how safe the methods of a class are together, as a table."""

from __future__ import annotations

import argparse

from mcr.cli.commands import Command, run_by
from mcr.cli.commands.linearizable import add_class_arguments
from mcr.keys import count

_DESCRIPTION = """\
Say how safe the methods of a class are together: a table of methods by methods, in Markdown.

  atomic  they are linearizable: calls at the same time return what they do in some order, one after the other
  safe    no exception that one thread alone would not see, and the invariant holds
  racy    neither

What is not atomic has a replay. For the class as a whole stands one of CPython's words: atomic, shared (all pairs are
safe), distinct (threads may use an object each), compatible (with a lock around each call), incompatible.

examples:
  mcr levels counter.py::Counter
  mcr levels queue:SimpleQueue --operation "put(1)" --operation "get_nowait()"
  mcr levels pool.py::Pool --invariant pool.py::nothing_is_lost
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    bounds = add_class_arguments(parser)
    bounds.add_argument("--before", metavar="N", type=count, default=2, help="calls before two at once (default: 2)")
    bounds.add_argument("--after", metavar="N", type=count, default=1, help="calls after them (default: 1)")
    parser.add_argument(
        "--invariant",
        metavar="FUNCTION",
        help="what has to hold of the object in the end: FILE::NAME, given the object",
    )


COMMAND = Command(
    "levels",
    "how safe the methods of a class are together",
    _DESCRIPTION,
    _add_arguments,
    run_by("mcr.cli.linearizing", "run_levels"),
)
