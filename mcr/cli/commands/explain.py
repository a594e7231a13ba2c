"""Show the constraints of maximal causality for one load of a recorded execution and another value: which events
must happen before which, which locks exclude each other, which reads must keep their values, and what the load
needs. Then the verdict: the shortest schedule that makes it read the value, or the groups of constraints
that cannot hold together.

examples:
  mcr explain .mcr/peterson-tso.json --row 4 --value 0
  mcr explain .mcr/peterson-tso.json --line 12 --value 0
  mcr explain .mcr/peterson-tso.json --load 4 --value 0 --model sc --algorithm mcr:paper

Exit status 0 means that the load can read the value, 1 that it cannot.
"""

from __future__ import annotations

import argparse

from mcr.cli.arguments import add_options, add_trace_arguments
from mcr.cli.commands.replay import announce
from mcr.cli.request import aside
from mcr.cli.status import Status
from mcr.exploration.contract import WhatIf
from mcr.explorers.registry import explain
from mcr.report.interleaving import rows
from replay.errors import CheckerError
from replay.traces.files import load_trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace_arguments(parser)
    load = parser.add_mutually_exclusive_group(required=True)
    load.add_argument("--row", metavar="N", type=int, help="the load in this row of the report's table")
    load.add_argument("--line", metavar="N", type=int, help="the load in this line of the program")
    load.add_argument("--load", metavar="ID", type=int, help="the load that is this event in the file")
    parser.add_argument("--value", metavar="V", required=True, help="the other value, as the trace writes it")
    how = {
        "--program FILE::NAME": "the program, if not the recorded one",
        "--algorithm NAME": "mcr (default), or mcr:paper for its published encoding",
        "--solver NAME": "minisat22 (default), another one, or z3",
    }
    add_options(parser, how, algorithm="mcr", solver="minisat22")


def _load(arguments: argparse.Namespace) -> int:
    """The event that is asked about. Raises CheckerError for a row or line in which nothing is loaded, or too much."""
    if arguments.load is not None:
        return int(arguments.load)
    trace = load_trace(arguments.trace)
    loads = [row for row in rows(trace) if trace.events[row.event].read is not None and not row.commit]
    if arguments.row is not None:
        found, what = [row for row in loads if row.number == arguments.row], f"row {arguments.row}"
    else:
        found = [row for row in loads if row.line is not None and row.line.line == arguments.line]
        what = f"line {arguments.line}"
    if len(found) == 1:
        return found[0].event
    listed = "; ".join(f"--row {row.number}: thread {row.thread}, {row.text}" for row in found or loads)
    raise CheckerError(
        f"{arguments.trace}: {'more than one load' if found else 'no load'} in {what}; there are {listed}"
    )


def _asked(arguments: argparse.Namespace) -> str:
    named = {"row": arguments.row, "line": arguments.line}
    return next((f"{what} {number}" for what, number in named.items() if number is not None), "")


def run(arguments: argparse.Namespace) -> Status:
    question = WhatIf(
        trace=arguments.trace,
        load=_load(arguments),
        value=arguments.value,
        asked=_asked(arguments),
        model=arguments.model,
        program=arguments.program,
        solver=arguments.solver,
        announce=announce,
    )
    with aside():
        lines, possible = explain(arguments.algorithm, question)
    print("\n".join(lines))
    return Status.VERIFIED if possible else Status.BUG
