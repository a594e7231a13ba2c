"""`mcr check`: explore programs, tell what fails."""

from __future__ import annotations

import argparse
from dataclasses import replace
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
    svg_file,
)
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcr.cli.checking import CheckRequest
    from mcr.exploration.growth import Growth
    from mcr.exploration.options import Options
    from mcr.report.style import Style

_DESCRIPTION = """\
Check programs: whether an assertion can fail, or threads wait for ever, in any execution that the memory model allows.

A failure is reported with a short interleaving that shows it, and written to a file that `mcr replay` plays
again. For a failure found under one model, the other models are searched for it too (10 s each at most).

Models, solver, limits and folder that are not given are those of [tool.mcr] in pyproject.toml, if it has them.

examples:
  mcr check examples/                       every program below a folder, under SC, TSO and PSO
  mcr check peterson.py::peterson --model tso
  mcr check bakery.py::bakery --set n=3 --timeout 60
  mcr check examples/ --jobs 4              four explorations at once
  mcr check bakery.py --plot growth.svg     how the explorations grew, and where the time went
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, or a folder")
    add_model_argument(parser)
    add_setting_argument(parser)
    parser.add_argument(
        "--objective",
        metavar="NAME",
        help="failures (default), states, outcomes, values, rf, traces, deadlocks, robustness or races; or several "
        "that go together: rf,deadlocks",
    )
    parser.add_argument(
        "--races", action="store_true", help="look for accesses of plain cells that nothing orders (objective races)"
    )
    parser.add_argument(
        "--allow-deadlock",
        dest="deadlocks",
        action="store_const",
        const=False,
        help="a run that ends while threads wait for what never comes is no bug",
    )
    parser.add_argument("--keep-going", action="store_true", help="look for further bugs after the first")
    parser.add_argument(
        "--census", action="store_true", help="count the classes of each equivalence that the executions belong to"
    )
    parser.add_argument(
        "--paranoid",
        action="store_true",
        help="hold every execution against the axioms of the memory model, and run on all histories that were merged",
    )
    parser.add_argument("--save", metavar="FOLDER", type=Path, help="where failing traces go (default: .mcr)")
    _add_jobs(parser)
    _add_limits(parser)
    _add_algorithm(parser)
    _add_output(parser)


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    jobs = parser.add_argument_group("many at once (docs/scaling.md)")
    add_jobs_argument(jobs)
    jobs.add_argument(
        "--cluster", metavar="ADDRESS", help="let the workers of a Dask cluster explore: the address of its scheduler"
    )
    jobs.add_argument(
        "--resume",
        metavar="FOLDER",
        type=Path,
        help="keep there what is found out, and go on from what an earlier run has left there",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits, for each program and model (beyond them the verdict is: incomplete)")
    limits.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, help="time")
    add_memory_argument(limits)
    limits.add_argument("--max-executions", metavar="N", type=positive_number, help="runs of the program")
    limits.add_argument(
        "--max-operations", metavar="N", type=positive_number, help="operations of a thread (default: 400)"
    )
    limits.add_argument(
        "--buffer",
        metavar="N",
        type=positive_number,
        help="stores in the buffers of a thread, by stateful (default: 64)",
    )


def _add_algorithm(parser: argparse.ArgumentParser) -> None:
    add_algorithm_argument(parser)
    add_merge_argument(parser)
    parser.add_argument(
        "--no-reduction",
        action="store_true",
        help="by stateful: try all orders of steps, those that make no difference as well (for comparison)",
    )
    add_solver_argument(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = add_output_arguments(parser)
    output.add_argument(
        "--coverage", action="store_true", help="tell which lines and branches of thread code no execution reaches"
    )
    output.add_argument(
        "--coverage-file",
        metavar="FILE",
        type=Path,
        help="write that for editors: as coverage.py does (.json), or in the format of lcov (any other name)",
    )
    output.add_argument(
        "--states",
        metavar="FILE.svg",
        type=svg_file,
        help="draw the local states of a program's threads, and its code with the lines that no execution reaches",
    )
    output.add_argument("--quiet", action="store_true", help="tell only what is not verified")
    output.add_argument("--verbose", action="store_true", help="tell which algorithm did it, and what it took")
    output.add_argument(
        "--plot",
        metavar="FILE",
        type=Path,
        help="draw local states and executions over time, and where the time went (.svg or .png; needs matplotlib)",
    )


def _options(arguments: argparse.Namespace) -> Options:
    from mcr.exploration.options import Options
    from solvers.registry import DEFAULT_SOLVER

    solver = asked_solver(arguments) or DEFAULT_SOLVER
    options = Options(
        solver=solver, timeout=arguments.timeout, memory=arguments.memory, max_executions=arguments.max_executions
    )
    options = replace(options, keep_going=arguments.keep_going, paranoid=arguments.paranoid, census=arguments.census)
    options = replace(
        options,
        merge=arguments.merge is not False,
        reduce=not arguments.no_reduction,
        deadlocks=arguments.deadlocks is not False,
    )
    if arguments.max_operations:
        options = replace(options, max_operations=arguments.max_operations)
    if arguments.buffer:
        options = replace(options, buffer=arguments.buffer)
    return options


def _objective(arguments: argparse.Namespace, algorithm: str, models: Sequence[str]) -> str:
    """What to look for; CheckerError for what does not exist or does not go together."""
    from mcr.exploration.goals import FAILURES, RACES, Goals
    from mcr.explorers.registry import check_supports

    wanted = [arguments.objective] if arguments.objective is not None else []
    wanted += [RACES] if arguments.races else []
    goals = Goals.parse(",".join(wanted) or FAILURES)
    check_supports(algorithm, goals, models, merge=arguments.merge is not False)
    return goals.text


def _request(arguments: argparse.Namespace) -> CheckRequest:
    from mcr.cli.checking import CheckRequest
    from mcr.configuration import find_project, read_project
    from mcr.exploration.archive import DEFAULT_FOLDER
    from mcr.explorers.registry import AUTO

    project = read_project(find_project(Path.cwd()))
    for name, value in project.limits().items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    algorithm = arguments.algorithm or project.algorithm or AUTO
    models = arguments.model or project.models or tuple(MODELS)
    return CheckRequest(
        targets=arguments.targets,
        models=models,
        objective=_objective(arguments, algorithm, models),
        algorithm=algorithm,
        settings=dict(arguments.settings),
        options=_options(arguments),
        folder=arguments.save or project.folder or DEFAULT_FOLDER,
        jobs=arguments.jobs,
        cluster=arguments.cluster or "",
        kept=arguments.resume,
    )


def _run(arguments: argparse.Namespace) -> Status:
    if arguments.cluster and arguments.jobs:
        raise CheckerError("--jobs is for this machine; a cluster has as many workers as it has")
    request = _request(arguments)
    if arguments.states is not None:
        _draw_states(arguments, request)
    if arguments.plot is None:
        return _check(arguments, request, None)
    from mcr.report.growth import draw
    from mcr.report.picture import prepare

    prepare(arguments.plot)
    growths: list[Growth] = []
    status = _check(arguments, request, growths)
    if draw(growths, arguments.plot) and not (arguments.json or arguments.quiet):
        print(f"The plot is in {arguments.plot}.")
    return status


def _check(arguments: argparse.Namespace, request: CheckRequest, growths: list[Growth] | None) -> Status:
    """Check, and report as the arguments say."""
    import contextlib
    import sys

    from mcr.cli.checking import Checking
    from mcr.report.document import DocumentOutput
    from mcr.report.style import style_for
    from mcr.report.terminal import TerminalOutput, terminal_width

    if arguments.json:
        stream = sys.stdout
        with contextlib.redirect_stdout(sys.stderr):  # what the programs print is not part of the document
            output = DocumentOutput(stream, _covered(arguments, request))
            return Checking(request, output, growths).run()
    style = style_for(sys.stdout, arguments.color)
    quiet, verbose = arguments.quiet, arguments.verbose
    terminal = TerminalOutput(sys.stdout, style, width=terminal_width(), quiet=quiet, verbose=verbose)
    status = Checking(request, terminal, growths).run()
    _show_covered(arguments, request, style, terminal_width())
    return status


def _draw_states(arguments: argparse.Namespace, request: CheckRequest) -> None:
    import contextlib
    import sys

    from mcr.cli.covering import states_of
    from replay.writing import write_atomically

    with contextlib.redirect_stdout(sys.stderr):  # what the program prints
        write_atomically(arguments.states, states_of(request))


def _covered(arguments: argparse.Namespace, request: CheckRequest) -> dict[str, object]:
    """What executions reach, for machines; nothing if nobody asked."""
    if not (arguments.coverage or arguments.coverage_file):
        return {}
    from mcr.cli.covering import coverages
    from mcr.report.coverage import coverage_document, write_coverage

    found = list(coverages(request))
    if arguments.coverage_file:
        write_coverage(found, arguments.coverage_file)
    return {"coverage": coverage_document(found)}


def _show_covered(arguments: argparse.Namespace, request: CheckRequest, style: Style, width: int) -> None:
    """The same for people."""
    if not (arguments.coverage or arguments.coverage_file):
        return
    from mcr.cli.covering import coverages
    from mcr.report.coverage import render_coverage, write_coverage

    found = []
    for each in coverages(request):
        found.append(each)
        if arguments.coverage:
            print("\n".join(["", *render_coverage(each, width, style)]))
    if arguments.coverage_file:
        write_coverage(found, arguments.coverage_file)
        print(f"The coverage is in {arguments.coverage_file}.")


COMMAND = Command("check", "check programs under memory models", _DESCRIPTION, _add_arguments, _run)
