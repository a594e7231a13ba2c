"""Explore programs under SC, TSO and PSO, and tell what is possible under PSO only, under TSO and PSO, and everywhere.

The table has a row for each program and model: verdict, executions and local states as `mcr check` finds them,
deadlocks being bugs here; outcomes (what the final function returns, or the threads if there is none); and classes
of executions that read the same values, or from the same stores (rf). Each outcome and failure comes with a file
that `mcr replay` plays.

examples:
  mcr compare examples/peterson.py
  mcr compare mutex.py::mutex --set n=3 --timeout 60 --show 5

Exit status 0 means that everything was explored, 3 that a limit cut something: such cells say "incomplete". Ctrl-C
ends it with the programs that were compared until then.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcr.cli.arguments import add_options, add_output_arguments, add_targets
from mcr.cli.check_task import CheckQuestion, Exploration
from mcr.cli.progress import Progress, is_shown
from mcr.cli.request import Request, answer, aside, until_interrupted
from mcr.cli.status import Status
from mcr.diagnosis.compare import CLASSES, OUTCOMES, STATES, Comparison, ModelSurvey, compared, groups, surveyed
from mcr.exploration.archive import ambiguous, file_stem, save
from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Task, Tell
from mcr.keys import add_keys
from mcr.report.comparison import comparison_document, render_behaviours, render_table
from mcr.report.layout import Style
from replay.world.memory_models import MODELS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    add_options(parser, {"--show N": "behaviours of each group to list and save (20)"}, show=20)
    parser.add_argument("--save", dest="folder", metavar="FOLDER", type=Path, help="where witnesses go (default: .mcr)")
    add_keys(parser, "jobs")
    limits = parser.add_argument_group("limits, for each exploration: three per program and model")
    add_keys(limits, "timeout", "memory", "max_executions", timeout="stop after this time (default: 60)")
    add_keys(parser, "solver", "algorithm", "merge")
    add_output_arguments(parser)


_DEFAULTS = {"timeout": 60.0}
"""What holds if nothing is said: there are many explorations."""


def run(arguments: argparse.Namespace) -> Status:
    """Compare memory models. Ctrl-C ends it with what was compared until then."""
    with aside():
        found, interrupted = until_interrupted(_comparisons(Request.of(arguments, _DEFAULTS), arguments.show))
    compared = [comparison for comparison, _ in found]
    if found or arguments.json:
        files = [files for _, files in found]
        answer(
            arguments,
            lambda *_: comparison_document(compared, files),
            lambda width, style: _lines(found, arguments.show, width, style),
        )
    return Status.INCOMPLETE if interrupted else _status_of(compared)


Found = tuple[Comparison, dict[int, str]]
"""A program's comparison, with the files of its witnesses by position of the behaviour."""


def _lines(found: Sequence[Found], most: int, width: int, style: Style) -> Iterator[str]:
    yield from render_table([comparison for comparison, _ in found], width, style)
    for comparison, files in found:
        yield from render_behaviours(comparison, files, most, width, style)


def _comparisons(request: Request, most: int) -> Iterator[Found]:
    """Each program's comparison; at most so many behaviours of a group get a witness.

    Raises CheckerError for a target that is broken, and for a folder that cannot be written.
    """
    programs = list(request.programs())
    unclear = ambiguous(programs)
    executing = Executor(request.jobs, Progress)
    items = [Exploration(program, model) for program in programs for model in MODELS]
    options, algorithm = request.options.beside(min(executing.jobs, len(items))), request.algorithm
    shown = is_shown()

    def survey(item: Exploration, tell: Tell) -> ModelSurvey:
        return surveyed(item.program, item.model, options, algorithm, tell.progress if shown else None)

    def died(item: Exploration, how: str) -> ModelSurvey:
        lost = (CheckQuestion(each, algorithm, options).lost(item, how) for each in (STATES, OUTCOMES, CLASSES))
        return ModelSurvey(item.model, *lost)

    surveys = answers(Task(survey, died), items, executing)
    for program in programs:
        under_all = [survey for survey in itertools.islice(surveys, len(MODELS)) if survey is not None]
        if len(under_all) == len(MODELS):  # Ctrl-C may have come before; then the others may be whole all the same
            comparison = compared(program, under_all)
            stem = file_stem(program, with_file=program in unclear)
            yield comparison, _save(comparison, request, most, stem)
    next(surveys, None)  # where it raises KeyboardInterrupt, if that ended it


def _save(comparison: Comparison, request: Request, most: int, stem: str) -> dict[int, str]:
    listed = {id(behaviour) for _, members in groups(comparison.behaviours) for behaviour in members[:most]}
    files: dict[int, str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for number, behaviour in enumerate(comparison.behaviours):
        if id(behaviour) in listed:
            key = (behaviour.trace.model, behaviour.kind)
            counts[key] += 1
            file = request.folder / f"{stem}-{'-'.join(key)}-{counts[key]}.json"
            save(behaviour.trace, file)
            files[number] = str(file)
    return files


def _status_of(found: Sequence[Comparison]) -> Status:
    """A comparison is no verdict: it fails only by being cut."""
    stops = any(figures.stops for comparison in found for figures in comparison.figures)
    return Status.INCOMPLETE if stops else Status.VERIFIED
