"""Checking programs: explore, save what fails at once, then tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcr.api import check
from mcr.cli.progress import Progress
from mcr.cli.status import Status, gravest
from mcr.exploration.archive import DEFAULT_FOLDER, Archive
from mcr.exploration.growth import Growth
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Statistics, Verdict
from mcr.explorers.registry import AUTO
from mcr.report.objective import MOST
from mcr.report.output import Output
from mcr.report.source import shown_path
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_all
from replay.traces.trace import Trace
from replay.world.memory_models import MODELS

_STATUS = {
    Verdict.VERIFIED: Status.VERIFIED,
    Verdict.BUG: Status.BUG,
    Verdict.INCOMPLETE: Status.INCOMPLETE,
}


@dataclass(frozen=True)
class Request:
    """What to check, and how.

    targets   files, FILE::NAME, folders
    models    names of memory models, strongest first
    settings  values for the programs' parameters
    folder    where failing traces go
    """

    targets: Sequence[str]
    models: Sequence[str] = tuple(MODELS)
    objective: str = "states"
    algorithm: str = AUTO
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    folder: Path = DEFAULT_FOLDER


class Checking:
    """One run of `mcr check`; `growths` receives how each exploration went, if that is wanted."""

    def __init__(self, request: Request, output: Output, growths: list[Growth] | None = None) -> None:
        self._request = request
        self._output = output
        self._growths = growths
        self._statuses: list[Status] = []
        self._archive = Archive(request.folder, [])
        self._told: set[str] = set()
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
        for program in programs:
            self._check(program)

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

    def _check(self, program: Program) -> None:
        """Explore one program under all models, then report its failures."""
        results: list[Result] = []
        search = False
        try:
            for model in self._request.models:
                results.append(self._explore(program, model))
                if results[-1].stop is INTERRUPTED:
                    raise KeyboardInterrupt
            search = True
        except CheckerError as error:
            self._done += len(self._request.models) - len(results)
            self._complain(error)
        finally:
            self._report(program, results, search)

    def _explore(self, program: Program, model: str) -> Result:
        """Explore under one model; failures are saved when they are found."""
        growth = Growth()
        sample = growth.sample if self._growths is not None else None
        result = self._search(program, model, self._request.options, lambda trace: self._save(program, trace), sample)
        if self._growths is not None:
            growth.end(result)
            self._growths.append(growth)
        self._done += 1
        self._statuses.append(_STATUS[result.verdict])
        self._output.result(program, result, self._save_witnesses(program, result))
        return result

    def _search(
        self,
        program: Program,
        model: str,
        options: Options,
        on_failure: Callable[[Trace], None] | None = None,
        sample: Callable[[Statistics], None] | None = None,
    ) -> Result:
        with Progress(f"{program.title} under {model.upper()}") as progress:

            def on_progress(statistics: Statistics) -> None:
                progress.update(statistics)
                if sample is not None:
                    sample(statistics)

            return check(
                program,
                model,
                objective=self._request.objective,
                algorithm=self._request.algorithm,
                options=options,
                on_progress=on_progress,
                on_failure=on_failure,
            )

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
            self._complain(error)

    def _report(self, program: Program, results: Sequence[Result], search: bool) -> None:
        """Tell about each failure once, by the trace under the strongest model that shows it.

        With `search`, models for which it is open are searched for it; Ctrl-C ends that, not the report.
        """
        from mcr.diagnosis.possibility import Inquiry  # late, as nothing fails in most programs
        from mcr.report.failure import FailureReport

        interrupted = False
        for traces in self._archive.failures(program):
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

    def _complain(self, error: CheckerError) -> None:
        """Tell an error once: a folder that cannot be written is one for each schedule that becomes shorter."""
        self._statuses.append(Status.WRONG_USE)
        if str(error) not in self._told:
            self._told.add(str(error))
            self._output.error(error)
