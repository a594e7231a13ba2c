"""Exploring one program under one model, as a task: here, or in a process beside this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcr.api import check
from mcr.exploration.evidence import OnFailure
from mcr.exploration.growth import GrowthSamples, OnLong, Size
from mcr.exploration.options import Options
from mcr.exploration.session import Progress
from mcr.exploration.verdict import Result, Statistics
from mcr.jobs.task import Tell
from replay.frontend.program import Program
from replay.traces.trace import Trace


@dataclass(frozen=True, eq=False)
class Exploration:
    """A program under a model."""

    program: Program
    model: str

    @property
    def title(self) -> str:
        return f"{self.program.title} under {self.model.upper()}"


@dataclass(frozen=True)
class Explored:
    """What came of it; `growth` is how it went, if anybody wants to know."""

    result: Result
    growth: GrowthSamples | None = None


@dataclass(frozen=True)
class Question:
    """What is asked of programs, and how to explore them; `grows` says that it is of interest how explorations grow."""

    objective: str
    algorithm: str
    options: Options
    grows: bool = False

    def explore(
        self, item: Exploration, on_failure: OnFailure, on_progress: Progress, on_long: OnLong | None = None
    ) -> Explored:
        """Ask it. Raises like `mcr.check`."""
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
        )
        if growth is not None:
            growth.end(result)
        return Explored(result, growth)


class CheckTask:
    """Explores; where the task was begun, `on_failure` gets each trace that fails as soon as it is found, `on_long` the
    title of what takes long.
    """

    def __init__(
        self, question: Question, on_failure: Callable[[Program, Trace], None], on_long: Callable[[str, Size], None]
    ) -> None:
        self._question = question
        self._on_failure = on_failure
        self._on_long = on_long
        self._failures: dict[Exploration, dict[object, Trace]] = {}

    def title(self, item: Exploration) -> str:
        return item.title

    def do(self, item: Exploration, tell: Tell) -> Explored:
        return self._question.explore(item, tell.news, tell.progress, tell.news)

    def hear(self, item: Exploration, news: object) -> None:
        if isinstance(news, Size):
            self._on_long(item.title, news)
            return
        assert isinstance(news, Trace)
        assert news.failure is not None
        self._failures.setdefault(item, {})[news.failure.identity] = news
        self._on_failure(item.program, news)

    def died(self, item: Exploration, how: str) -> Explored:
        from mcr.jobs.task import result_of_the_dead  # late, as hardly any process dies

        question, failures = self._question, [*self._failures.get(item, {}).values()]
        return Explored(
            result_of_the_dead(
                item.program,
                item.model,
                how,
                objective=question.objective,
                algorithm=question.algorithm,
                options=question.options,
                failures=failures,
            )
        )
