"""`mcr compare`: what each memory model allows; with `--algorithms`, what each algorithm takes."""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from mcr.cli.check_task import Exploration
from mcr.cli.progress import Progress
from mcr.cli.request import Request, answer, aside, until_interrupted
from mcr.cli.status import Status
from mcr.diagnosis.compare import CLASSES, OUTCOMES, STATES, Comparison, Survey, compared, groups, surveyed
from mcr.diagnosis.trials import Trial, subjects, trials, unable
from mcr.exploration import goals
from mcr.exploration.archive import file_stem, save
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.registry import names, parse
from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Tell, result_of_the_dead
from mcr.report.comparison import comparison_document, render_behaviours, render_table
from mcr.report.growth import prepare
from mcr.report.growth import save as save_plot
from mcr.report.layout import Style
from mcr.report.trials import draw_trials, render_trials, trials_document
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

_DEFAULTS = {"timeout": 60.0}
"""What holds if nothing is said: there are many explorations."""


def run(arguments: argparse.Namespace) -> Status:
    """Compare memory models, or algorithms. Ctrl-C ends it with what was compared until then."""
    if arguments.algorithms is not None:
        if arguments.jobs is not None:
            raise CheckerError("--jobs is not for --algorithms: what is measured runs alone")
        return compare_algorithms(arguments, Request.of(arguments, {**_DEFAULTS, "objective": goals.STATES}))
    for name, value in (("objective", "objective"), ("model", "models"), ("plot", "plot")):
        if getattr(arguments, value) is not None:
            raise CheckerError(f"--{name} is for --algorithms: memory models are compared in all that they allow")
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
    titles = Counter(program.title for program in programs)
    executing = Executor(request.jobs, Progress)
    items = [Exploration(program, model) for program in programs for model in MODELS]
    task = SurveyTask(request.options.beside(min(executing.jobs, len(items))), request.algorithm)
    surveys = answers(task, items, executing)
    for program in programs:
        under_all = [survey for survey in itertools.islice(surveys, len(MODELS)) if survey is not None]
        if len(under_all) == len(MODELS):  # Ctrl-C may have come before; then the others may be whole all the same
            comparison = compared(program, under_all)
            stem = file_stem(program, with_file=titles[program.title] > 1)
            yield comparison, _save(comparison, request, most, stem)
    next(surveys, None)  # where it raises KeyboardInterrupt, if that ended it


class SurveyTask:
    """Surveys a program under a model."""

    def __init__(self, options: Options, algorithm: str) -> None:
        self._options = options
        self._algorithm = algorithm

    def title(self, item: Exploration) -> str:
        return item.title

    def do(self, item: Exploration, tell: Tell) -> Survey:
        return surveyed(item.program, item.model, self._options, self._algorithm, tell.progress)

    def hear(self, item: Exploration, news: object) -> None:
        """There is none: a comparison is told when it is whole."""

    def died(self, item: Exploration, how: str) -> Survey:
        objectives = (STATES, OUTCOMES, CLASSES)
        return Survey(item.model, *(self._dead(item, how, objective) for objective in objectives))

    def _dead(self, item: Exploration, how: str, objective: str) -> Result:
        options, algorithm = self._options, self._algorithm
        return result_of_the_dead(
            item.program, item.model, how, objective=objective, algorithm=algorithm, options=options
        )


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


def compare_algorithms(arguments: argparse.Namespace, request: Request) -> Status:
    """Try all, and report as the arguments say. Ctrl-C ends it with what was tried until then."""
    if arguments.algorithm is not None:
        raise CheckerError("--algorithm and --algorithms exclude each other")
    if arguments.plot is not None:
        prepare(arguments.plot)
    asked = _asked(arguments.algorithms)
    silent = unable(asked, request.objective, request.models)
    if silent == asked:
        raise CheckerError(
            f"none of {', '.join(asked)} looks for {request.objective} under {', '.join(request.models)}"
        )
    with aside():
        found, interrupted = until_interrupted(_trials(request, asked))
    if found or arguments.json:
        answer(
            arguments,
            lambda *_: trials_document(found, request.objective, silent),
            lambda width, style: render_trials(found, silent, width, style),
        )
    if arguments.plot is not None and found:
        save_plot(lambda: draw_trials(found), arguments.plot)
    return Status.INCOMPLETE if interrupted or any(trial.stop for trial in found) else Status.VERIFIED


def _trials(request: Request, asked: list[str]) -> Iterator[Trial]:
    for subject in subjects(request.targets, request.settings, request.models):
        yield from trials(subject, asked, request.objective, request.options)


def _asked(text: str) -> list[str]:
    """Algorithms by name; every one if none is named."""
    asked = [name.strip() for name in text.split(",") if name.strip()] or [name for name in names() if ":" not in name]
    for name in asked:
        parse(name)
    return list(dict.fromkeys(asked))
