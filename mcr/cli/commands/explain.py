"""`mcr explain`: why a load of a recorded execution can, or cannot, read another value."""

from __future__ import annotations

import argparse

from mcr.cli.arguments import add_trace_arguments
from mcr.cli.command import Command
from mcr.cli.status import Status

_DESCRIPTION = """\
Show the constraints of maximal causality for one load of a recorded execution and another value: who must
happen before whom, which locks exclude each other, which reads must keep their values, and what the load
needs. Then the verdict: the shortest schedule that makes it read the value, or the groups of constraints
that cannot hold together.

examples:
  mcr explain .mcr/peterson-tso.json --load 4 --value 0
  mcr explain .mcr/peterson-tso.json --load 4 --value 0 --model sc --algorithm mcr:paper

Exit status 0 means that the load can read the value, 1 that it cannot.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace_arguments(parser)
    parser.add_argument("--load", metavar="ID", type=int, required=True, help="number of the load's event in the file")
    parser.add_argument("--value", metavar="V", required=True, help="the other value, as the trace writes it")
    parser.add_argument("--program", metavar="FILE::NAME", help="the program, if not the recorded one")
    parser.add_argument(
        "--algorithm", metavar="NAME", default="mcr", help="mcr (default), or mcr:paper for its published encoding"
    )
    parser.add_argument("--solver", metavar="NAME", default="minisat22", help="minisat22 (default), another one, or z3")


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli.replaying import announce
    from mcr.cli.request import aside
    from mcr.exploration.contract import WhatIf
    from mcr.explorers.registry import explain

    question = WhatIf(
        trace=arguments.trace,
        load=arguments.load,
        value=arguments.value,
        model=arguments.model,
        program=arguments.program,
        solver=arguments.solver,
        announce=announce,
    )
    with aside():
        lines, possible = explain(arguments.algorithm, question)
    print("\n".join(lines))
    return Status.VERIFIED if possible else Status.BUG


COMMAND = Command("explain", "why a load can or cannot read another value", _DESCRIPTION, _add_arguments, _run)
