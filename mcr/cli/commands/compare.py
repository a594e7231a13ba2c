"""`mcr compare`: what each memory model allows."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.cli.arguments import (
    add_algorithm_argument,
    add_jobs_argument,
    add_memory_argument,
    add_merge_argument,
    add_model_argument,
    add_output_arguments,
    add_setting_argument,
    add_solver_argument,
    asked_solver,
    positive_number,
    positive_seconds,
)
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.errors import CheckerError

if TYPE_CHECKING:
    from mcr.cli.comparing import CompareRequest
    from mcr.diagnosis.compare import Comparison

_DESCRIPTION = """\
Explore programs under SC, TSO and PSO, and tell what is possible under PSO only, under TSO and PSO, and everywhere.

With --algorithms, compare algorithms instead: a row for each program, model and algorithm, with what it took; each
runs in a process of its own. What an objective counts as one class decides which executions are redundant.

Without, the table has a row for each program and model: verdict, executions and local states as `mcr check` finds them,
deadlocks being bugs here; outcomes (what the final function returns, or the threads if there is none); and classes
of executions that read the same values, or from the same stores (rf). Each outcome and failure comes with a file
that `mcr replay` plays.

examples:
  mcr compare examples/peterson.py
  mcr compare mutex.py::mutex --set n=3 --timeout 60 --show 5
  mcr compare mutex.py::mutex --algorithms                        every algorithm
  mcr compare mutex.py::mutex --algorithms cover,trust,rf-smc --objective rf --model tso --plot seeds.svg

Exit status 0 means that everything was explored, 3 that a limit cut something: such cells say "incomplete". Ctrl-C
ends it with the programs that were compared until then.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, or a folder")
    add_setting_argument(parser)
    parser.add_argument(
        "--show", metavar="N", type=positive_number, default=20, help="behaviours of each group to list and save (20)"
    )
    parser.add_argument(
        "--save", metavar="FOLDER", type=Path, default=Path(".mcr"), help="where witnesses go (default: .mcr)"
    )
    add_jobs_argument(parser)
    limits = parser.add_argument_group("limits, for each exploration: three per program and model")
    limits.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, default=60.0, help="time (default: 60)")
    add_memory_argument(limits)
    limits.add_argument("--max-executions", metavar="N", type=positive_number, help="runs of the program")
    add_solver_argument(parser)
    add_algorithm_argument(parser)
    add_merge_argument(parser)
    add_output_arguments(parser)
    side = parser.add_argument_group("algorithms side by side")
    side.add_argument(
        "--algorithms",
        metavar="NAMES",
        nargs="?",
        const="",
        help="names, with commas between them; none: all that look for the objective",
    )
    side.add_argument("--objective", metavar="NAME", help="states (default), or another that `mcr check` knows")
    add_model_argument(side)
    side.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw executions and seconds (.svg or .png; needs matplotlib)"
    )


def _run(arguments: argparse.Namespace) -> Status:
    if arguments.algorithms is not None:
        if arguments.jobs is not None:
            raise CheckerError("--jobs is not for --algorithms: what is measured runs alone")
        from mcr.cli.trying import run

        return run(arguments)
    for name in ("objective", "model", "plot"):
        if getattr(arguments, name) is not None:
            raise CheckerError(f"--{name} is for --algorithms: memory models are compared in all that they allow")
    return _compare_models(arguments)


def _compare_models(arguments: argparse.Namespace) -> Status:
    from mcr.cli.comparing import CompareRequest, status_of
    from mcr.exploration.options import Options
    from mcr.explorers.registry import AUTO
    from mcr.report.comparison import comparison_document, render_behaviours, render_table
    from mcr.report.document import write_document
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width
    from solvers.registry import DEFAULT_SOLVER

    solver = asked_solver(arguments) or DEFAULT_SOLVER
    options = Options(
        solver=solver,
        timeout=arguments.timeout,
        memory=arguments.memory,
        max_executions=arguments.max_executions,
        merge=arguments.merge is not False,
    )
    request = CompareRequest(
        targets=arguments.targets,
        settings=dict(arguments.settings),
        options=options,
        algorithm=arguments.algorithm or AUTO,
        folder=arguments.save,
        most=arguments.show,
        jobs=arguments.jobs,
    )
    found, interrupted = _find(request)
    compared = [comparison for comparison, _ in found]
    status = Status.INCOMPLETE if interrupted else status_of(compared)
    if arguments.json:
        write_document(comparison_document(compared, [files for _, files in found]), sys.stdout)
    elif found:
        style, width = style_for(sys.stdout, arguments.color), terminal_width()
        print("\n".join(render_table(compared, width, style)))
        for comparison, files in found:
            print("\n".join(render_behaviours(comparison, files, arguments.show, width, style)))
    return status


def _find(request: CompareRequest) -> tuple[list[tuple[Comparison, dict[int, str]]], bool]:
    """The comparisons with the files of their witnesses, and whether Ctrl-C ended it: then those until there."""
    from mcr.cli.comparing import comparisons

    found: list[tuple[Comparison, dict[int, str]]] = []
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the programs print is not part of the report
            for each in comparisons(request):
                found.append(each)  # one by one, so that Ctrl-C keeps them
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return found, True
    return found, False


COMMAND = Command("compare", "what each memory model allows", _DESCRIPTION, _add_arguments, _run)
