"""Say how safe the methods of a class are together: a table of methods by methods, in Markdown.

  atomic  they are linearizable: calls at the same time return what they do in some order, one after the other
  safe    no exception that one thread alone would not see, and the invariant holds
  racy    neither

Each pair that is not atomic comes with a replay. The class as a whole gets one of CPython's words: atomic, shared (all
pairs are safe), distinct (threads may use an object each), compatible (with a lock around each call), incompatible.

examples:
  mcr levels counter.py::Counter
  mcr levels queue:SimpleQueue --operation "put(1)" --operation "get_nowait()"
  mcr levels pool.py::Pool --invariant pool.py::nothing_is_lost
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcr.cli.arguments import add_options
from mcr.cli.commands.linearizable import add_class_arguments, answered
from mcr.cli.status import Status
from mcr.linearizability.client import named
from mcr.linearizability.levels import Levels, levels
from mcr.report.linearizability import levels_document, render_levels
from replay.errors import CheckerError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    counts = {
        "--before CALLS": "calls before the two concurrent ones at most (default: 2)",
        "--after CALLS": "calls after them at most (default: 1)",
    }
    add_options(add_class_arguments(parser), counts, before=2, after=1)
    after = "a function of the object that must hold at the end: FILE::NAME"
    shown = "write what shows that the atomic pairs are, and their clients, for `mcr certify` (docs/certificates.md)"
    add_options(parser, {"--invariant FUNCTION": after, "--certificate FOLDER": shown})


def run(arguments: argparse.Namespace) -> Status:
    if arguments.certificate and (arguments.spec or arguments.invariant):
        raise CheckerError(
            "--certificate shows that methods are atomic by the class itself: leave out --spec and --invariant"
        )
    invariant = None if arguments.invariant is None else named(arguments.invariant)

    def tell(done: int, pairs: int, seconds: float) -> None:
        if sys.stderr.isatty():
            left = seconds / done * (pairs - done)
            print(f"\r{done} of {pairs} pairs, about {left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def look(make: Callable[..., Any], **how: Any) -> Levels:
        how["options"] = replace(how["options"], certificate=False)  # they are made of clients of their own
        found = levels(make, before=arguments.before, after=arguments.after, invariant=invariant, on_pair=tell, **how)
        if arguments.certificate is None:
            return found
        from mcr.linearizability.certificate import with_certificates  # late, as few ask for one

        return with_certificates(found, make, how["operations"], how["options"], arguments.certificate)

    def status(found: Levels) -> Status:
        return Status.VERIFIED if found.word == "atomic" else Status.BUG if found.word else Status.INCOMPLETE

    return answered(arguments, look, levels_document, render_levels, status)
