"""Exploring one program under one model, as an errand: here, in a process beside this one, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from mcr.api import check
from mcr.cli.check_message import Answer, Request, digest, kept_in, new_failures, read_answer
from mcr.cli.perform import perform
from mcr.exploration.growth import Growth
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Statistics
from mcr.jobs.dead import result_of_the_dead
from mcr.jobs.errand import Outcome, Tell
from replay.errors import CheckerError, ModelError
from replay.frontend.program import Program
from replay.traces.trace import Trace
from replay.writing import write_atomically


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


class CheckErrand:
    """Explores; what fails is told as soon as it is found.

    on_failure  gets each trace that fails, where the errand was begun
    grows       whether it is of interest how explorations grow
    folder      where what came of explorations is kept, and looked up before it is found out again; None for nowhere
    """

    def __init__(
        self,
        objective: str,
        algorithm: str,
        options: Options,
        on_failure: Callable[[Program, Trace], None],
        *,
        grows: bool = False,
        folder: Path | None = None,
    ) -> None:
        self._objective = objective
        self._algorithm = algorithm
        self._options = options
        self._on_failure = on_failure
        self._grows = grows
        self._folder = folder
        self._failures: dict[Exploration, dict[object, Trace]] = {}

    def title(self, item: Exploration) -> str:
        return f"{item.program.title} under {item.model.upper()}"

    def do(self, item: Exploration, tell: Tell) -> Explored:
        return self._known(item, tell) or self._explored(item, tell, self._options)

    def attempt(self, item: Exploration, tell: Tell, seconds: float) -> Explored | None:
        known = self._known(item, tell)
        if known is not None:
            return known
        if self._options.timeout is not None and self._options.timeout <= seconds:
            return self._explored(item, tell, self._options)
        explored = self._explored(item, tell, replace(self._options, timeout=seconds))
        stop = explored.result.stop
        return None if stop is not None and explored.result.statistics.seconds >= seconds else explored

    def _explored(self, item: Exploration, tell: Tell, options: Options) -> Explored:
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
            options=options,
            on_progress=on_progress,
            on_failure=on_failure,
        )
        if growth is not None:
            growth.end(result)
        self._keep(item, Answer("", result, growth, new_failures(told)))
        return Explored(result, growth)

    def hear(self, item: Exploration, news: object) -> None:
        assert isinstance(news, Trace)
        assert news.failure is not None
        self._failures.setdefault(item, {})[news.failure.identity] = news
        self._on_failure(item.program, news)

    def died(self, item: Exploration, how: str) -> Explored:
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

    # -- what was found out before -------------------------------------------------

    def _known(self, item: Exploration, tell: Tell) -> Explored | None:
        answer = self._kept(item)
        if answer is None:
            return None
        for trace in answer.failures:
            tell.news(trace)
        assert answer.result is not None
        return Explored(answer.result, answer.growth)

    def _kept(self, item: Exploration) -> Answer | None:
        """The answer that an earlier run has left; None if there is none, or none that can be trusted."""
        if self._folder is None:
            return None
        key = self._request(item).without_limits().sealed()
        file = kept_in(self._folder, key)
        try:
            return read_answer(file.read_text(encoding="utf-8"), key, str(file)) if file.is_file() else None
        except (CheckerError, OSError, ValueError):
            return None

    def _keep(self, item: Exploration, answer: Answer) -> None:
        """Leave an answer for later runs, if nothing cut what it tells: then limits have no part in it."""
        if self._folder is not None and answer.result is not None and answer.result.stop is None:
            key = self._request(item).without_limits().sealed()
            try:
                write_atomically(kept_in(self._folder, key), replace(answer, request=digest(key)).sealed())
            except OSError as error:
                raise CheckerError(f"{self._folder}: cannot be written: {error.strerror}") from None

    # -- on a cluster ----------------------------------------------------------------

    def performer(self) -> Callable[[str], str]:
        return perform

    def request(self, item: Exploration) -> str:
        """What to send for an item: its exploration by names and values."""
        return self._request(item).sealed()

    def _request(self, item: Exploration) -> Request:
        objective, algorithm, options = self._objective, self._algorithm, self._options
        return Request.about(item.program, item.model, objective, algorithm, options, grows=self._grows)

    def recall(self, item: Exploration) -> Outcome[Explored] | None:
        """What an earlier run has found out, if it did."""
        answer = self._kept(item)
        return None if answer is None else self._outcome(item, answer)

    def answered(self, item: Exploration, request: str, text: str) -> Outcome[Explored]:
        """What came of an item, as `perform` tells it. Raises FormatError for what is no answer to the request."""
        answer = read_answer(text, request, f"the answer for {self.title(item)}")
        self._keep(item, answer)
        return self._outcome(item, answer)

    def _outcome(self, item: Exploration, answer: Answer) -> Outcome[Explored]:
        for trace in answer.failures:
            self.hear(item, trace)
        if answer.broken is not None:
            return Outcome(error=ModelError(*answer.broken), said=answer.said)
        assert answer.result is not None
        return Outcome(Explored(answer.result, answer.growth), said=answer.said)
