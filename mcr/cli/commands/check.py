"""`mcr check`: explore programs, tell what fails."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.cli.arguments import add_output_arguments, positive_number, positive_seconds, setting
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.errors import CheckerError

if TYPE_CHECKING:
    from mcr.options import Options

_DESCRIPTION = """\
Check programs: every local state that a program can reach is visited, and with it every assertion.

A failure is reported with a short interleaving that shows it, and written to a file that `mcr replay` plays
again. For a failure found under one model, the other models are searched for it too (10 s each at most).

examples:
  mcr check examples/                       every program below a folder, under SC, TSO and PSO
  mcr check peterson.py::peterson --model tso
  mcr check bakery.py::bakery --set n=3 --timeout 60
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, or a folder")
    parser.add_argument(
        "--model", choices=("sc", "tso", "pso", "all"), default="all", help="memory model (default: all)"
    )
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
        "--objective",
        metavar="NAME",
        help="states (default), outcomes, values, rf, traces or deadlocks; or several that go together: rf,deadlocks",
    )
    parser.add_argument("--keep-going", action="store_true", help="look for further bugs after the first")
    parser.add_argument(
        "--census", action="store_true", help="count the classes of each equivalence that the executions belong to"
    )
    parser.add_argument(
        "--paranoid", action="store_true", help="hold every execution against the axioms of the memory model"
    )
    parser.add_argument(
        "--save", metavar="FOLDER", type=Path, default=Path(".mcr"), help="where failing traces go (default: .mcr)"
    )
    limits = parser.add_argument_group("limits, for each program and model (beyond them the verdict is: incomplete)")
    limits.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, help="time")
    limits.add_argument("--max-executions", metavar="N", type=positive_number, help="runs of the program")
    limits.add_argument(
        "--max-operations", metavar="N", type=positive_number, help="operations of a thread (default: 400)"
    )
    parser.add_argument(
        "--algorithm",
        choices=("states", "mcr"),
        default="states",
        help="states (default): cover all local states; mcr: maximal causality reduction as published",
    )
    parser.add_argument(
        "--encoding", choices=("complete", "paper"), help="with --algorithm mcr: paper leaves out store forwarding"
    )
    parser.add_argument("--solver", metavar="NAME", help="minisat22 (default), another SAT solver of PySAT, or z3")
    add_output_arguments(parser).add_argument("--quiet", action="store_true", help="tell only what is not verified")


def _options(arguments: argparse.Namespace) -> Options:
    from mcr.options import Options
    from solvers.registry import DEFAULT_SOLVER, make_solver

    solver = arguments.solver or DEFAULT_SOLVER
    make_solver(solver)  # an unknown one is an error before anything else happens
    options = Options(solver=solver, timeout=arguments.timeout, max_executions=arguments.max_executions)
    options = replace(options, keep_going=arguments.keep_going, paranoid=arguments.paranoid, census=arguments.census)
    if arguments.max_operations:
        options = replace(options, max_operations=arguments.max_operations)
    adapt = _maximal if arguments.algorithm == "mcr" else _plain
    return adapt(options, arguments.encoding)


def _maximal(options: Options, encoding: str | None) -> Options:
    from mcr.maximal.explorer import MaximalOptions

    own = MaximalOptions(**vars(options))
    return replace(own, encoding=encoding) if encoding else own


def _plain(options: Options, encoding: str | None) -> Options:
    if encoding is not None:
        raise CheckerError("--encoding is for --algorithm mcr only")
    return options


def _objective(arguments: argparse.Namespace) -> str:
    """What to look for; CheckerError for what does not exist or does not go together."""
    from mcr.objectives import Goals

    if arguments.objective is None:
        return "states"
    if arguments.algorithm == "mcr":
        raise CheckerError("--objective is for --algorithm states only")
    return Goals.parse(arguments.objective).text


def _run(arguments: argparse.Namespace) -> Status:
    import contextlib
    import sys

    from mcr.cli.checking import Checking, Request
    from mcr.report.document import DocumentOutput
    from mcr.report.style import style_for
    from mcr.report.terminal import TerminalOutput, terminal_width

    options = _options(arguments)
    objective = _objective(arguments)
    models = ("sc", "tso", "pso") if arguments.model == "all" else (arguments.model,)
    request = Request(
        targets=arguments.targets,
        models=models,
        objective=objective,
        settings=dict(arguments.settings),
        options=options,
        folder=arguments.save,
    )
    if arguments.json:
        output = DocumentOutput(sys.stdout)
        with contextlib.redirect_stdout(sys.stderr):  # what the programs print is not part of the document
            return Checking(request, output).run()
    style = style_for(sys.stdout, arguments.color)
    terminal = TerminalOutput(sys.stdout, style, width=terminal_width(), quiet=arguments.quiet)
    return Checking(request, terminal).run()


COMMAND = Command("check", "check programs under memory models", _DESCRIPTION, _add_arguments, _run)
