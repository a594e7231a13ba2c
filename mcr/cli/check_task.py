"""Exploring one program under one model, as a task: here, or in a process beside this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcr.api import check
from mcr.exploration.growth import Growth
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Statistics
from mcr.jobs.task import Tell
from replay.frontend.program import Program
from replay.traces.trace import Trace


@dataclass(frozen=True, eq=False)
class Exploration:
    """A program under a model."""

    program: Program
    model: str


@dataclass(frozen=True)
class Explored:
    """What came of it; `growth` is how it went, if anybody wants to know."""

    result: Result
    growth: Growth | None = None


class CheckTask:
    """Explores; what fails is told as soon as it is found.

    on_failure  gets each trace that fails, where the task was begun
    grows       whether it is of interest how explorations grow
    """

    def __init__(
        self,
        objective: str,
        algorithm: str,
        options: Options,
        on_failure: Callable[[Program, Trace], None],
        *,
        grows: bool = False,
    ) -> None:
        self._objective = objective
        self._algorithm = algorithm
        self._options = options
        self._on_failure = on_failure
        self._grows = grows
        self._failures: dict[Exploration, dict[object, Trace]] = {}

    def title(self, item: Exploration) -> str:
        return f"{item.program.title} under {item.model.upper()}"

    def do(self, item: Exploration, tell: Tell) -> Explored:
        growth = Growth() if self._grows else None
        told: list[Trace] = []

        def on_failure(trace: Trace) -> None:
            told.append(trace)
            tell.news(trace)

        def on_progress(statistics: Statistics) -> None:
            tell.progress(statistics)
            if growth is not None:
                growth.sample(statistics)

        result = check(
            item.program,
            item.model,
            objective=self._objective,
            algorithm=self._algorithm,
            options=self._options,
            on_progress=on_progress,
            on_failure=on_failure,
        )
        if growth is not None:
            growth.end(result)
        self._note(item, result, growth, told)
        return Explored(result, growth)

    def _note(self, item: Exploration, result: Result, growth: Growth | None, failures: Sequence[Trace]) -> None:
        """An exploration has ended, and these were told of as failures."""

    def hear(self, item: Exploration, news: object) -> None:
        assert isinstance(news, Trace)
        assert news.failure is not None
        self._failures.setdefault(item, {})[news.failure.identity] = news
        self._on_failure(item.program, news)

    def died(self, item: Exploration, how: str) -> Explored:
        from mcr.jobs.dead import result_of_the_dead  # late, as hardly any process dies

        return Explored(
            result_of_the_dead(
                item.program,
                item.model,
                how,
                objective=self._objective,
                algorithm=self._algorithm,
                options=self._options,
                failures=[*self._failures.get(item, {}).values()],
            )
        )
