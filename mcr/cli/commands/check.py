"""\
Check programs: whether an assertion can fail, or threads wait for ever, in any execution that the memory model allows.

A failure is reported with a short interleaving that shows it, and written to a file that `mcr replay` plays
again. For a failure found under one model, the other models are searched for it too, for some seconds each.

Models, solver, limits and folder that are not given are those of [tool.mcr] in pyproject.toml, if it has them.

examples:
  mcr check examples/                       every program below a folder, under SC, TSO and PSO
  mcr check peterson.py::peterson --model tso
  mcr check bakery.py::bakery --set n=3 --timeout 60
  mcr check examples/ --jobs 4              four explorations at once
  mcr check bakery.py --set n=8 --sample 10000   random schedules, where a proof takes too long
  mcr check bakery.py --plot growth.svg     how the explorations grew, and where the time went
  mcr check test_pool.py::test_two --path old --path new   two versions of a package: is the mend right?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mcr import plugins
from mcr.cli.arguments import LIBRARY, add_options, add_output_arguments, add_targets
from mcr.cli.checking import FORMATS, SHORT, Checking, Output
from mcr.cli.request import Request, aside
from mcr.cli.status import Status
from mcr.exploration.goals import FAILURES, RACES, Goals
from mcr.exploration.growth import GrowthSamples
from mcr.explorers.registry import check_supports
from mcr.keys import KEYS, add_keys, project_around
from mcr.report.layout import style_for, terminal_width
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.sentences import there_are
from replay.traces.loader import find_all
from replay.traces.project import looking_first
from replay.traces.trace import GIL
from replay.world.memory_models import MODELS
from replay.world.memory_models.sc import SC

if TYPE_CHECKING:
    from mcr.coverage.survey import Coverage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    default = "default: all, but sc where only ordinary objects are shared"
    add_keys(parser, "models", "python", "objective", models=f"{KEYS['models'].help} ({default})")
    add_options(
        parser,
        {"--races": "look for data races: accesses of plain cells without happens-before order (objective races)"},
    )
    add_keys(parser, "deadlocks", "keep_going", "census", "paranoid")
    saved = "where failing traces go (default: .mcr)"
    parser.add_argument("--save", dest="folder", metavar="FOLDER", type=Path, help=saved)
    shown = "write a certificate of each verified program, for `mcr certify` (docs/certificates.md)"
    add_options(parser, {"--certificate FOLDER": shown})
    parser.add_argument(
        "--path", metavar="FOLDER", type=Path, action="append", default=[],
        help="look up imports there before anywhere else; named several times, each is a version of what is imported: "
        "they are compared, and the exit status is that of the last",
    )  # fmt: skip
    jobs = parser.add_argument_group("many at once (docs/scaling.md)")
    add_keys(jobs, "jobs")
    far = {
        "--cluster ADDRESS": "let the workers of a Dask cluster explore: the address of its scheduler",
        "--resume FOLDER": "keep the result of each completed check there, and reuse those of earlier runs; a check "
        "that is interrupted starts over",
    }
    add_options(jobs, far)
    limits = parser.add_argument_group("limits, for each program and model (beyond them the verdict is: incomplete)")
    add_keys(
        limits,
        "sample",
        "sampler",
        "timeout",
        "memory",
        "max_executions",
        "max_operations",
        "buffer",
        timeout="stop after this time",
    )
    add_keys(parser, "algorithm", "merge", "reduce", "symmetry", "native", "solver")
    output = {
        **LIBRARY,
        "--coverage": "tell which lines and branches of thread code no execution reaches",
        "--coverage-file FILE": "write that for editors: as coverage.py does (.json), or in the format of lcov (any "
        "other name)",
        "--states FILE.svg": "draw the local states of a program's threads, and its code with the lines that no "
        "execution reaches",
        "--quiet": "leave out what is verified, and the summary",
        "--short": "one line for each failure and incomplete check, and a summary",
        "--format NAME": "for continuous integration: github (annotations), sarif (2.1.0) or junit; or one of a "
        "plug-in",
        "--verbose": "tell which algorithm did it, and what it took",
        "--plot FILE": "draw local states and executions over time, and where the time went (.svg or .png; needs "
        "matplotlib)",
    }
    add_options(add_output_arguments(parser), output)


def run(arguments: argparse.Namespace) -> Status:
    if len(arguments.path) > 1:
        from mcr.cli.versions import check_versions  # late, as few compare versions

        return check_versions(arguments)
    with looking_first(arguments.path):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> Status:
    if arguments.cluster and arguments.path:
        raise CheckerError("--cluster: workers look up imports in their own folders; leave out --path")
    if arguments.cluster and plugins.loaded():
        raise CheckerError(f"--cluster: workers import no plug-ins ({', '.join(plugins.loaded())}); leave one out")
    if arguments.cluster and arguments.jobs:
        raise CheckerError("--jobs is for this machine; a cluster has as many workers as it has")
    request = _request(arguments)
    if arguments.states is not None:
        with aside():
            write_atomically(arguments.states, _states_of(request))
            print(f"The local states are drawn in {arguments.states}.")
    if arguments.plot is None:
        return _check(arguments, request, None)
    from mcr.report.growth import draw, prepare

    prepare(arguments.plot)
    growths: list[GrowthSamples] = []
    status = _check(arguments, request, growths)
    if draw(growths, arguments.plot) and not (arguments.json or arguments.quiet or arguments.short or arguments.format):
        print(f"The plot is in {arguments.plot}.")
    return status


def _request(arguments: argparse.Namespace) -> Request:
    """Reads the request; CheckerError for what does not exist or does not go together."""
    project = project_around(Path.cwd())
    request = Request.of(arguments, project, own=not (arguments.models or project.get("models")))
    if request.options.python == GIL and request.own:
        request = replace(request, models=(SC.name,), own=False)  # it knows no other
    wanted = [*([arguments.objective] if arguments.objective else []), *([RACES] if arguments.races else [])]
    goals = Goals.parse(",".join(wanted) or FAILURES)
    if request.certificate and (request.resume or request.cluster):
        raise CheckerError("--certificate is for this machine and for now: leave out --resume and --cluster")
    check_supports(request.algorithm, goals, request.models, request.options)
    return replace(request, objective=goals.text)


def _check(arguments: argparse.Namespace, request: Request, growths: list[GrowthSamples] | None) -> Status:
    """Check, and report as the arguments say."""
    wants_coverage = arguments.coverage or arguments.coverage_file
    if arguments.short or arguments.format:
        stream = sys.stdout
        with aside():
            return Checking(request, _output_for(arguments, stream), growths).run()
    if arguments.json:
        from mcr.report.document import DocumentOutput

        stream = sys.stdout
        with aside():
            more = _coverage_document(arguments, request) if wants_coverage else {}
            return Checking(request, DocumentOutput(stream, more), growths).run()
    from mcr.report.terminal import TerminalOutput

    style = style_for(sys.stdout, arguments.color)
    quiet, verbose = arguments.quiet, arguments.verbose
    output = TerminalOutput(sys.stdout, style, width=terminal_width(), quiet=quiet, verbose=verbose)
    status = Checking(request, output, growths).run()
    if wants_coverage:
        from mcr.report.coverage import render_coverage

        def show(coverage: Coverage) -> None:
            if arguments.coverage:
                print("\n".join(["", *render_coverage(coverage, terminal_width(), style)]))

        _covered(request, arguments.coverage_file, show)
        if arguments.coverage_file:
            print(f"The coverage is in {arguments.coverage_file}.")
    return status


def _output_for(arguments: argparse.Namespace, stream: TextIO) -> Output:
    """Returns the writer of short reports. Raises CheckerError for a format that does not exist."""
    if arguments.coverage or arguments.coverage_file or arguments.json or (arguments.short and arguments.format):
        raise CheckerError("--short and --format NAME are reports of their own: leave out --json, --coverage, or one")
    if arguments.format not in (None, *FORMATS):
        raise CheckerError(f"--format {arguments.format}: {there_are(FORMATS, arguments.format)}")
    return FORMATS.get(arguments.format, SHORT)(stream)


def _coverage_document(arguments: argparse.Namespace, request: Request) -> dict[str, object]:
    from mcr.report.coverage import coverage_document

    return {"coverage": coverage_document(_covered(request, arguments.coverage_file, lambda coverage: None))}


def _covered(request: Request, file: Path | None, show: Callable[[Coverage], None]) -> list[Coverage]:
    """Returns the coverage of each correct program, shown as soon as it is known, and written to a file.

    Under the weakest of its models: it has the executions of the others.
    """
    from mcr.coverage.survey import cover
    from mcr.report.coverage import write_coverage

    found: list[Coverage] = []
    options = replace(request.options, paranoid=False, census=False)
    for program in (program for target in request.targets for program in find_all(target)):
        if isinstance(program, CheckerError):
            continue  # the check has complained
        program = request.set_up(program)
        found.append(cover(program, MODELS[request.models_of(program)[-1]], options))
        show(found[-1])
    if file:
        write_coverage(found, file)
    return found


def _states_of(request: Request) -> str:
    """The picture of the local states of the one program that is asked for. Raises CheckerError for several."""
    from mcr.api import open_session
    from mcr.coverage.survey import cover
    from mcr.exploration.goals import STATES
    from mcr.report.state_graph import draw_states

    programs = list(request.programs())
    if len(programs) != 1:
        raise CheckerError(f"--states draws one program, not {len(programs)}: use FILE::NAME")
    model = MODELS[request.models_of(programs[0])[-1]]
    options = replace(request.options, keep_going=True, shorten=False)
    session = open_session(programs[0], model, objective=STATES, algorithm="cover", options=options)
    session.explore()
    return draw_states(session.context.unfolding, cover(programs[0], model, request.options))
