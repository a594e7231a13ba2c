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
from typing import Any

from mcr.cli.arguments import add_options
from mcr.cli.commands.linearizable import add_class_arguments, answered
from mcr.cli.status import Status
from mcr.linearizability.client import named
from mcr.linearizability.levels import Levels, levels
from mcr.report.linearizability import levels_document, render_levels


def add_arguments(parser: argparse.ArgumentParser) -> None:
    counts = {
        "--before CALLS": "calls before the two concurrent ones at most (default: 2)",
        "--after CALLS": "calls after them at most (default: 1)",
    }
    add_options(add_class_arguments(parser), counts, before=2, after=1)
    after = "a function of the object that must hold at the end: FILE::NAME"
    add_options(parser, {"--invariant FUNCTION": after})


def run(arguments: argparse.Namespace) -> Status:
    invariant = None if arguments.invariant is None else named(arguments.invariant)

    def tell(done: int, pairs: int, seconds: float) -> None:
        if sys.stderr.isatty():
            left = seconds / done * (pairs - done)
            print(f"\r{done} of {pairs} pairs, about {left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def look(make: Callable[..., Any], **how: Any) -> Levels:
        return levels(make, before=arguments.before, after=arguments.after, invariant=invariant, on_pair=tell, **how)

    def status(found: Levels) -> Status:
        return Status.VERIFIED if found.word == "atomic" else Status.BUG if found.word else Status.INCOMPLETE

    return answered(arguments, look, levels_document, render_levels, status)
