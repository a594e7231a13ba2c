"""`mcr linearizable`: whether a class is thread-safe, without a specification."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

from mcr.cli.arguments import add_output_arguments
from mcr.cli.commands import Command, run_by
from mcr.keys import add_arguments, count

_DESCRIPTION = """\
Find out whether the calls of a class are linearizable: whether, whatever several threads call at once, there is an
order of the calls, each between its call and its return, in which one thread would have got the same results.

The class itself, used by one thread, is the specification. All clients within the bounds are explored: each proof is
one for so many threads with so many calls, and these arguments.

examples:
  mcr linearizable counter.py::Counter
  mcr linearizable stack.py::Stack --operation "push(1)" --operation "push(2)" --operation "pop()" --model tso
  mcr linearizable package.module:Cache --threads 3 --calls 2

A class whose constructor takes `p` declares its shared state on it, as programs do; objects of all others are shared
memory themselves, under SC, since that is CPython's (docs/linearizability.md).
"""


def _operation(text: str) -> tuple[object, ...]:
    """A call with literals, such as "push(1)", as a method and its arguments."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return (call.id,)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.keywords:
            return (call.func.id, *map(ast.literal_eval, call.args))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a call with literals, such as \"put(1, 'a')\"")


def _owned(text: str) -> tuple[str, int]:
    """A method and the number of the thread that alone calls it."""
    method, _, thread = text.partition("=")
    if not thread.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a method and a thread, such as put=0")
    return method, int(thread)


def _counts(text: str) -> list[object]:
    return list(map(count, text.split(",")))


def add_class_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Which classes, operations and models, limits and output; returns the group of bounds."""
    parser.add_argument("targets", metavar="CLASS", nargs="+", help="FILE::NAME, or package.module:NAME")
    parser.add_argument(
        "--operation",
        dest="operations",
        metavar="CALL",
        type=_operation,
        action="append",
        help='what clients call, such as "put(1)"; may be repeated (default: the public methods, with small arguments)',
    )
    parser.add_argument("--spec", metavar="CLASS", help="what is right, used by one thread (default: the class itself)")
    add_arguments(parser, "models", models="memory model (default: sc for ordinary classes, else tso)")
    bounds = parser.add_argument_group("bounds")
    limits = parser.add_argument_group("limits")
    add_arguments(limits, "timeout", "memory", "max_operations", timeout="time for each class and model")
    add_arguments(parser, "folder", folder="where the client and its trace go, if one fails (default: .mcr)")
    add_output_arguments(parser)
    return bounds


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    bounds = add_class_arguments(parser)
    bounds.add_argument("--threads", metavar="N", type=count, default=2, help="threads of a client (default: 2)")
    bounds.add_argument(
        "--calls", metavar="N", type=_counts, default=[3],
        help="calls of each at most (default: 3), or a number for each thread, such as 1,7",
    )  # fmt: skip
    parser.add_argument(
        "--level", default="linearizable",
        help="what is asked for: linearizable (the default; if it fails, which weaker levels hold), 'sequentially "
        "consistent' or 'quiescently consistent'",
    )  # fmt: skip
    parser.add_argument(
        "--picture",
        metavar="FILE",
        type=Path,
        help="draw the histories of what fails: an .svg of one class, or an .html",
    )
    bounds.add_argument(
        "--only", metavar="METHOD=N", type=_owned, action="append", default=[],
        help="only thread N calls that method, such as put=0; may be repeated",
    )  # fmt: skip


COMMAND = Command(
    "linearizable", "whether a class is thread-safe", _DESCRIPTION, _add_arguments, run_by("mcr.cli.linearizing")
)
