"""Checking programs: explore, save what fails at once, then tell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from mcr.api import replay
from mcr.cli.check_task import CheckQuestion, Exploration, Explore, Explored, check_task
from mcr.cli.progress import Progress, is_shown, say_that_it_takes_long
from mcr.cli.request import Request, aside
from mcr.cli.status import Status, gravest
from mcr.exploration.archive import Archive
from mcr.exploration.growth import GrowthSamples
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result
from mcr.jobs.executor import Executor
from mcr.jobs.task import Running, Task
from mcr.report.remarks import MOST
from mcr.report.source import shown_path
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_all
from replay.traces.trace import Trace, as_played, without_calls
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from mcr.report.failure import FailureReport


class Output(Protocol):
    """Receives what a check finds, in the order in which it finds it."""

    def begin(self, programs: Sequence[Program]) -> None:
        """These programs are going to be checked."""

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        """One program was explored under one model; `witnesses` are files that show its first outcomes."""

    def failure(self, program: Program, report: FailureReport) -> None:
        """A failure, after the program was explored under all models."""

    def error(self, error: Exception) -> None:
        """Something cannot be checked."""

    def end(self, status: int, missing: int) -> None:
        """All is said. `missing` explorations were not even begun when the user interrupted."""


def _of_ci(module: str, name: str) -> Callable[[TextIO], Output]:
    """The output of that name below `mcr.report.ci`, which is loaded when it is asked for."""

    def make(stream: TextIO) -> Output:
        output: Output = getattr(import_module(f"mcr.report.ci.{module}"), name)(stream)
        return output

    return make


SHORT = _of_ci("findings", "ShortOutput")

FORMATS: dict[str, Callable[[TextIO], Output]] = {
    "github": _of_ci("findings", "GithubOutput"),
    "sarif": _of_ci("sarif", "SarifOutput"),
    "junit": _of_ci("junit", "JunitOutput"),
}
"""Of `mcr check --format`, what makes the output that writes to a stream. Plug-ins add to it."""


class Checking:
    """One run of `mcr check`; `growths` receives how each exploration went, None if that is not wanted."""

    def __init__(self, request: Request, output: Output, growths: list[GrowthSamples] | None = None) -> None:
        self._request = request
        self._output = output
        self._growths = growths
        self._statuses: list[Status] = []
        self._archive = Archive(request.folder, [])
        self._told: set[str] = set()
        self._unsaved: dict[tuple[Program, str], list[CheckerError]] = {}
        self._planned = 0
        self._done = 0

    def run(self) -> Status:
        """Check everything; Ctrl-C ends it with what was found so far."""
        try:
            self._check_all()
        except KeyboardInterrupt:
            self._statuses.append(Status.INCOMPLETE)
        status = gravest(self._statuses)
        self._output.end(status, self._planned - self._done)
        return status

    def _check_all(self) -> None:
        programs = list(self._programs())
        self._archive = Archive(self._request.folder, programs)
        self._output.begin(programs)
        models = [self._request.models_of(program) for program in programs]
        explorations = [
            Exploration(program, model) for program, own in zip(programs, models, strict=True) for model in own
        ]
        self._planned = len(explorations)
        with self._started(explorations) as running:
            for program, own in zip(programs, models, strict=True):
                self._check(program, own, running)
            if running.interrupted:
                raise KeyboardInterrupt

    def _started(self, explorations: Sequence[Exploration]) -> AbstractContextManager[Running[Exploration, Explored]]:
        request = self._request
        if request.cluster:
            from mcr.cli.kept_answers import KeptAnswers
            from mcr.jobs.cluster import Cluster

            question = self._question(request.options)
            post = KeptAnswers(question, request.resume).post()
            return Cluster(request.cluster, Progress).start(self._task(question), explorations, post)
        executing = Executor(request.jobs, Progress)
        if len(explorations) == 1:
            options = replace(request.options.beside(executing.jobs), jobs=executing.jobs)
        else:
            options = request.options.beside(min(executing.jobs, len(explorations)))
        question = self._question(options)
        if request.resume is None:
            return executing.start(self._task(question), explorations)
        from mcr.cli.kept_answers import KeptAnswers  # late, with all that it takes to send and keep messages

        if len(explorations) == 1:
            print(
                "--resume keeps completed checks; this is a single one, which starts over if it is interrupted",
                file=sys.stderr,
            )
        return executing.start(self._task(question, KeptAnswers(question, request.resume).explore), explorations)

    def _question(self, options: Options) -> CheckQuestion:
        request, grows = self._request, self._growths is not None
        return CheckQuestion(request.objective, request.algorithm, options, grows=grows, is_watched=is_shown())

    def _task(self, question: CheckQuestion, explore: Explore | None = None) -> Task[Exploration, Explored]:
        return check_task(question, self._save, say_that_it_takes_long, explore)

    def _programs(self) -> Iterator[Program]:
        for target in self._request.targets:
            for found in find_all(target):
                try:
                    if isinstance(found, CheckerError):
                        raise found
                    yield self._request.set_up(found)
                except CheckerError as error:
                    self._complain(error)

    def _check(self, program: Program, asked: Sequence[str], running: Running[Exploration, Explored]) -> None:
        """Take what came of one program under all its models, then report its failures."""
        results: list[Result] = []
        models = asked
        try:
            for model in models:
                explored = self._taken(program, model, running)
                if explored is not None:
                    results.append(self._conclude(program, explored))
                    if explored.result.stop == INTERRUPTED:
                        running.interrupt()
        except CheckerError as error:
            left = len(models) - len(results)
            self._done += left
            running.skip(left - 1)
            models = models[: len(results) + 1]
            self._complain(error)
        is_whole = len(results) == len(asked) and not running.interrupted
        try:
            self._report(program, models, results, is_whole)
        except KeyboardInterrupt:
            running.interrupt()

    def _taken(self, program: Program, model: str, running: Running[Exploration, Explored]) -> Explored | None:
        """Returns the outcome of the next exploration, of this program; says first that its traces could not be
        saved."""
        try:
            return running.take()
        finally:
            for error in self._unsaved.pop((program, model), ()):
                self._complain(error)

    def _conclude(self, program: Program, explored: Explored) -> Result:
        """Tell about one exploration; its failures were saved when they were found."""
        result = explored.result
        if explored.growth is not None and self._growths is not None:
            self._growths.append(explored.growth)
        self._done += 1
        self._statuses.append(Status.of(result.verdict))
        if self._request.certificate is not None:
            file = self._save_certificate(program, result, self._request.certificate)
            result = replace(result, certificate_file=file)
        self._output.result(program, result, self._save_witnesses(program, result))
        return result

    def _save_witnesses(self, program: Program, result: Result) -> list[str]:
        """Write the first outcomes' witnesses; returns their files."""
        try:
            traces = [trace for _, trace in result.witnesses[:MOST]]
            return [shown_path(str(file)) for file in self._archive.add_witnesses(program, traces)]
        except CheckerError as error:
            self._complain(error)
            return []

    def _save_certificate(self, program: Program, result: Result, folder: Path) -> str:
        """Write what shows that a program is verified; returns the file, "" if nothing does."""
        if result.certificate is None:
            return ""
        try:
            return shown_path(str(self._archive.add_certificate(program, result, folder)))
        except CheckerError as error:
            self._complain(error)
            return ""

    def _save(self, program: Program, trace: Trace) -> None:
        try:
            self._archive.add(program, trace)
        except CheckerError as error:
            self._unsaved.setdefault((program, trace.model), []).append(error)

    def _report(self, program: Program, models: Sequence[str], results: Sequence[Result], search: bool) -> None:
        """Tell about each failure under these models once, by the trace under the strongest one that shows it.

        With `search`, models for which it is open are searched for it; Ctrl-C ends that, not the report.
        """
        failures = list(self._archive.failures(program, models))
        if not failures:
            return
        from mcr.diagnosis.possibility import Inquiry  # late, as nothing fails in most programs
        from mcr.report.failure import FailureReport

        interrupted = False
        for traces in failures:
            shown = [traces[model] for model in MODELS if model in traces]
            inquiry = Inquiry(program, shown, results)
            if search and not interrupted:
                try:
                    inquiry.explore(lambda model, options: self._search(program, model, options), self._request.options)
                except KeyboardInterrupt:
                    interrupted = True
            told = shown[0]
            with aside(), suppress(CheckerError):
                played = replay(program, told)  # for what it prints, too: everything else was quiet
                told = as_played(told, played)
            told = without_calls(told) if self._request.library else told
            files = [shown_path(str(file)) for trace in shown if (file := self._archive.file(program, trace))]
            self._output.failure(program, FailureReport(told, inquiry.answer(), files))
        if interrupted:
            raise KeyboardInterrupt

    def _search(self, program: Program, model: str, options: Options) -> Result:
        item = Exploration(program, model)
        with Progress(1) as bar:
            return self._question(options).explore(item, lambda trace: None, partial(bar.update, str(item))).result

    def _complain(self, error: CheckerError) -> None:
        """Tell an error once: a folder that cannot be written is one for each schedule that becomes shorter."""
        self._statuses.append(Status.WRONG_USE)
        if str(error) not in self._told:
            self._told.add(str(error))
            self._output.error(error)
