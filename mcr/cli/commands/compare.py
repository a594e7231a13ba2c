"""`mcr compare`: what each memory model allows."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from mcr.cli.arguments import add_output_arguments, positive_number, positive_seconds, setting
from mcr.cli.command import Command
from mcr.cli.status import Status

_DESCRIPTION = """\
Explore programs under SC, TSO and PSO, and tell what is possible under PSO only, under TSO and PSO, and everywhere.

The table has a row for each program and model: verdict, executions and local states as `mcr check` finds them,
deadlocks being bugs here; outcomes (what the final function returns, or the threads if there is none); and classes
of executions that read the same values, or from the same stores (rf). Each outcome and failure comes with a file
that `mcr replay` plays.

examples:
  mcr compare examples/peterson.py
  mcr compare mutex.py::mutex --set n=3 --timeout 60 --show 5

Exit status 0 means that everything was explored, 3 that a limit cut something: such cells say "incomplete".
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, or a folder")
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=setting,
        action="append",
        default=[],
        help="give a parameter of the program a value, a Python literal; may be repeated",
    )
    parser.add_argument(
        "--show", metavar="N", type=positive_number, default=20, help="behaviours of each group to list and save (20)"
    )
    parser.add_argument(
        "--save", metavar="FOLDER", type=Path, default=Path(".mcr"), help="where witnesses go (default: .mcr)"
    )
    limits = parser.add_argument_group("limits, for each exploration: three per program and model")
    limits.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, default=60.0, help="time (default: 60)")
    limits.add_argument("--max-executions", metavar="N", type=positive_number, help="runs of the program")
    parser.add_argument("--solver", metavar="NAME", help="minisat22 (default), another SAT solver of PySAT, or z3")
    add_output_arguments(parser)


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli.comparing import Request, comparisons, status_of
    from mcr.options import Options
    from mcr.report.comparison import comparison_document, render_behaviours, render_table
    from mcr.report.document import write_document
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width
    from solvers.registry import DEFAULT_SOLVER, make_solver

    solver = arguments.solver or DEFAULT_SOLVER
    make_solver(solver)  # an unknown one is an error before anything else happens
    request = Request(
        targets=arguments.targets,
        settings=dict(arguments.settings),
        options=Options(solver=solver, timeout=arguments.timeout, max_executions=arguments.max_executions),
        folder=arguments.save,
        most=arguments.show,
    )
    with contextlib.redirect_stdout(sys.stderr):  # what the programs print is not part of the report
        found = list(comparisons(request))
    compared = [comparison for comparison, _ in found]
    if arguments.json:
        write_document(comparison_document(compared, [files for _, files in found]), sys.stdout)
        return status_of(compared)
    style, width = style_for(sys.stdout, arguments.color), terminal_width()
    print("\n".join(render_table(compared, width, style)))
    for comparison, files in found:
        print("\n".join(render_behaviours(comparison, files, arguments.show, width, style)))
    return status_of(compared)


COMMAND = Command("compare", "what each memory model allows", _DESCRIPTION, _add_arguments, _run)
