"""Comparing memory models on programs: explore, save witnesses, tell."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcr.cli.progress import Watched
from mcr.cli.status import Status
from mcr.diagnosis.compare import CLASSES, OUTCOMES, STATES, Comparison, Survey, compared, groups, surveyed
from mcr.exploration.archive import DEFAULT_FOLDER, file_stem, save
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.registry import AUTO
from mcr.jobs.dead import result_of_the_dead
from mcr.jobs.each import answers
from mcr.jobs.executor import executor
from mcr.jobs.task import Tell
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS


@dataclass(frozen=True)
class CompareRequest:
    """What to compare.

    targets   files, FILE::NAME, folders
    settings  values for the programs' parameters
    folder    where witnesses go
    most      how many behaviours of each group get one
    jobs      how many explorations go on at once, None for as many as there are cores
    """

    targets: Sequence[str]
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    algorithm: str = AUTO
    folder: Path = DEFAULT_FOLDER
    most: int = 20
    jobs: int | None = None


def comparisons(request: CompareRequest) -> Iterator[tuple[Comparison, dict[int, str]]]:
    """Each program's comparison, with the files of its witnesses by position of the behaviour.

    Raises CheckerError for a target that is broken, and for a folder that cannot be written.
    """
    programs = [
        program(**request.settings) if request.settings else program
        for target in request.targets
        for program in find_programs(target)
    ]
    titles = Counter(program.title for program in programs)
    executing = executor(request.jobs, Watched(sys.stderr))
    items = [Compared(program, model) for program in programs for model in MODELS]
    task = SurveyTask(request.options.beside(min(executing.jobs, len(items))), request.algorithm)
    surveys = answers(task, items, executing)
    for program in programs:
        under_all = [survey for survey in itertools.islice(surveys, len(MODELS)) if survey is not None]
        if len(under_all) == len(MODELS):  # Ctrl-C may have come before; then the others may be whole all the same
            comparison = compared(program, under_all)
            yield comparison, _save(comparison, request, file_stem(program, with_file=titles[program.title] > 1))
    next(surveys, None)  # where it raises KeyboardInterrupt, if that ended it


@dataclass(frozen=True, eq=False)
class Compared:
    """A program under a model."""

    program: Program
    model: str


class SurveyTask:
    """Surveys a program under a model."""

    def __init__(self, options: Options, algorithm: str) -> None:
        self._options = options
        self._algorithm = algorithm

    def title(self, item: Compared) -> str:
        return f"{item.program.title} under {item.model.upper()}"

    def do(self, item: Compared, tell: Tell) -> Survey:
        return surveyed(item.program, item.model, self._options, self._algorithm, tell.progress)

    def hear(self, item: Compared, news: object) -> None:
        """There is none: a comparison is told when it is whole."""

    def died(self, item: Compared, how: str) -> Survey:
        objectives = (STATES, OUTCOMES, CLASSES)
        return Survey(item.model, *(self._dead(item, how, objective) for objective in objectives))

    def _dead(self, item: Compared, how: str, objective: str) -> Result:
        options, algorithm = self._options, self._algorithm
        return result_of_the_dead(
            item.program, item.model, how, objective=objective, algorithm=algorithm, options=options
        )


def _save(comparison: Comparison, request: CompareRequest, stem: str) -> dict[int, str]:
    listed = {id(behaviour) for _, members in groups(comparison.behaviours) for behaviour in members[: request.most]}
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


def status_of(found: Sequence[Comparison]) -> Status:
    """A comparison is no verdict: it fails only by being cut."""
    stops = any(figures.stops for comparison in found for figures in comparison.figures)
    return Status.INCOMPLETE if stops else Status.VERIFIED
