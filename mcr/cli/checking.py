"""Checking programs: explore, save what fails at once, then tell."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.cli.check_task import CheckTask, Exploration, Explored
from mcr.cli.progress import Watched
from mcr.cli.status import Status, gravest
from mcr.exploration.archive import DEFAULT_FOLDER, Archive
from mcr.exploration.growth import Growth
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Verdict
from mcr.explorers.registry import AUTO
from mcr.jobs.executor import executor
from mcr.jobs.serial import Here
from mcr.jobs.task import Running
from mcr.report.objective import MOST
from mcr.report.output import Output
from mcr.report.source import shown_path
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_all
from replay.traces.trace import Trace
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from mcr.cli.kept_task import KeptTask

_STATUS = {
    Verdict.VERIFIED: Status.VERIFIED,
    Verdict.BUG: Status.BUG,
    Verdict.INCOMPLETE: Status.INCOMPLETE,
}


@dataclass(frozen=True)
class CheckRequest:
    """What to check, and how.

    targets   files, FILE::NAME, folders
    models    names of memory models, strongest first
    settings  values for the programs' parameters
    folder    where failing traces go
    jobs      how many explorations go on at once, None for as many as there are cores
    cluster   address of a scheduler whose workers explore, "" for none
    kept      folder where what came of explorations is kept for a later run, None for nowhere
    """

    targets: Sequence[str]
    models: Sequence[str] = tuple(MODELS)
    objective: str = "failures"
    algorithm: str = AUTO
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    folder: Path = DEFAULT_FOLDER
    jobs: int | None = None
    cluster: str = ""
    kept: Path | None = None


class Checking:
    """One run of `mcr check`; `growths` receives how each exploration went, if that is wanted."""

    def __init__(self, request: CheckRequest, output: Output, growths: list[Growth] | None = None) -> None:
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
        self._planned = len(programs) * len(self._request.models)
        self._output.begin(programs)
        explorations = [Exploration(program, model) for program in programs for model in self._request.models]
        with self._started(explorations) as running:
            for program in programs:
                self._check(program, running)
            if running.interrupted:
                raise KeyboardInterrupt

    def _started(self, explorations: Sequence[Exploration]) -> AbstractContextManager[Running[Explored]]:
        request, display = self._request, Watched(sys.stderr)
        if request.cluster:
            from mcr.jobs.cluster import Cluster

            return Cluster(request.cluster, display).start(self._kept_task(request.options), explorations)
        executing = executor(request.jobs, display)
        if len(explorations) == 1:
            options = replace(request.options.beside(executing.jobs), jobs=executing.jobs)
        else:
            options = request.options.beside(min(executing.jobs, len(explorations)))
        return executing.start(self._task(options), explorations)

    def _task(self, options: Options) -> CheckTask:
        request, grows = self._request, self._growths is not None
        if request.kept is not None:
            return self._kept_task(options)
        return CheckTask(request.objective, request.algorithm, options, self._save, grows=grows)

    def _kept_task(self, options: Options) -> KeptTask:
        from mcr.cli.kept_task import KeptTask  # late, with all that it takes to send and keep messages

        request, grows = self._request, self._growths is not None
        return KeptTask(request.objective, request.algorithm, options, self._save, grows=grows, folder=request.kept)

    def _programs(self) -> Iterator[Program]:
        for target in self._request.targets:
            for found in find_all(target):
                try:
                    yield self._set_up(found)
                except CheckerError as error:
                    self._complain(error)

    def _set_up(self, found: Program | CheckerError) -> Program:
        if isinstance(found, CheckerError):
            raise found
        return found(**self._request.settings) if self._request.settings else found

    def _check(self, program: Program, running: Running[Explored]) -> None:
        """Take what came of one program under all models, then report its failures."""
        results: list[Result] = []
        models = self._request.models
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
        is_whole = len(results) == len(self._request.models) and not running.interrupted
        try:
            self._report(program, models, results, is_whole)
        except KeyboardInterrupt:
            running.interrupt()

    def _taken(self, program: Program, model: str, running: Running[Explored]) -> Explored | None:
        """What came of the next exploration, of this program; first of all, that its traces could not be saved."""
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
        self._statuses.append(_STATUS[result.verdict])
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

    def _save(self, program: Program, trace: Trace) -> None:
        try:
            self._archive.add(program, trace)
        except CheckerError as error:
            self._unsaved.setdefault((program, trace.model), []).append(error)

    def _report(self, program: Program, models: Sequence[str], results: Sequence[Result], search: bool) -> None:
        """Tell about each failure under these models once, by the trace under the strongest one that shows it.

        With `search`, models for which it is open are searched for it; Ctrl-C ends that, not the report.
        """
        from mcr.diagnosis.possibility import Inquiry  # late, as nothing fails in most programs
        from mcr.report.failure import FailureReport

        interrupted = False
        for traces in self._archive.failures(program, models):
            shown = [traces[model] for model in MODELS if model in traces]
            inquiry = Inquiry(shown, results)
            if search and not interrupted:
                try:
                    inquiry.explore(lambda model, options: self._search(program, model, options), self._request.options)
                except KeyboardInterrupt:
                    interrupted = True
            files = [shown_path(str(file)) for trace in shown if (file := self._archive.file(program, trace))]
            self._output.failure(program, FailureReport(shown[0], inquiry.answer(), files))
        if interrupted:
            raise KeyboardInterrupt

    def _search(self, program: Program, model: str, options: Options) -> Result:
        item = Exploration(program, model)
        task = CheckTask(self._request.objective, self._request.algorithm, options, lambda program, trace: None)
        with Watched(sys.stderr).one(task.title(item)) as bar:
            return task.do(item, Here(task, item, bar)).result

    def _complain(self, error: CheckerError) -> None:
        """Tell an error once: a folder that cannot be written is one for each schedule that becomes shorter."""
        self._statuses.append(Status.WRONG_USE)
        if str(error) not in self._told:
            self._told.add(str(error))
            self._output.error(error)
