"""Exploring one program under one model, as a task: here, or in a process beside this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from mcr.api import check
from mcr.exploration.evidence import OnFailure
from mcr.exploration.growth import GrowthSamples, OnLong, Size
from mcr.exploration.options import Options
from mcr.exploration.session import Progress
from mcr.exploration.verdict import Result, Statistics, Stop, decide
from mcr.explorers.registry import AUTO
from mcr.jobs.task import Task
from replay.frontend.program import Program
from replay.traces.trace import Trace


@dataclass(frozen=True, eq=False)
class Exploration:
    """A program under a model."""

    program: Program
    model: str

    def __str__(self) -> str:
        return f"{self.program.title} under {self.model.upper()}"


@dataclass(frozen=True)
class Explored:
    """The outcome of an exploration; `growth` is how it went, if that is asked for."""

    result: Result
    growth: GrowthSamples | None = None


Explore = Callable[[Exploration, OnFailure, Progress, OnLong], Explored]
"""Finds out what comes of an exploration, and tells what cannot wait. Raises like `mcr.check`."""


@dataclass(frozen=True)
class CheckQuestion:
    """A question about programs, and how to explore them.

    grows       collect samples of how explorations grow
    is_watched  estimate for a progress bar how much is left
    """

    objective: str
    algorithm: str
    options: Options
    grows: bool = False
    is_watched: bool = False

    def explore(
        self, item: Exploration, on_failure: OnFailure, on_progress: Progress, on_long: OnLong | None = None
    ) -> Explored:
        """Runs the check. Raises like `mcr.check`."""
        growth = GrowthSamples() if self.grows else None

        def progress(statistics: Statistics) -> None:
            on_progress(statistics)
            if growth is not None:
                growth.sample(statistics)

        result = check(
            item.program,
            item.model,
            objective=self.objective,
            algorithm=self.algorithm,
            options=self.options,
            on_progress=progress,
            on_failure=on_failure,
            on_long=on_long,
            looks_ahead=self.is_watched,
        )
        if growth is not None:
            growth.end(result)
        return Explored(result, growth)

    def lost(self, item: Exploration, how: str, failures: Sequence[Trace] = ()) -> Result:
        """The result where a process ended, and how: incomplete; but what it had found until then is a bug anyway."""
        stop = Stop(how, "where the system had no memory left, say --memory, or fewer --jobs")
        return Result(
            program=item.program.title,
            file=item.program.file,
            line=item.program.line,
            model=item.model,
            verdict=decide(tuple(failures), stop),
            statistics=Statistics(),
            failures=tuple(failures),
            objective=self.objective,
            stop=stop,
            solver=self.options.solver,
            algorithm=self.algorithm,
        )


def check_task(
    question: CheckQuestion,
    on_failure: Callable[[Program, Trace], None],
    on_long: Callable[[str, Size], None],
    explore: Explore | None = None,
) -> Task[Exploration, Explored]:
    """Explores, as the question says or else by `explore`.

    Where the task was begun, `on_failure` gets each trace that fails as soon as it is found, `on_long` the title of
    what takes long.
    """
    explored = explore or question.explore
    failures: dict[Exploration, dict[object, Trace]] = {}

    def hear(item: Exploration, news: object) -> None:
        if isinstance(news, Size):
            on_long(str(item), news)
            return
        assert isinstance(news, Trace)
        assert news.failure is not None
        failures.setdefault(item, {})[news.failure.identity] = news
        on_failure(item.program, news)

    def died(item: Exploration, how: str) -> Explored:
        return Explored(question.lost(item, how, [*failures.get(item, {}).values()]))

    prepare = _prepare if question.algorithm == AUTO else lambda: None
    return Task(lambda item, tell: explored(item, tell.news, tell.progress, tell.news), died, hear, prepare)


def _prepare() -> None:
    """Import what nearly every exploration with the default algorithm comes to."""
    for module in ("mcr.explorers.stateful.explorer", "replay.local_state.keys", "replay.interpreter.instructions"):
        import_module(module)
