"""Explorations whose answers are kept for later runs, or come from a cluster: sealed messages, by names and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mcr.cli.check_message import Answer, Request, digest, kept_in, new_failures, read_answer
from mcr.cli.check_task import CheckTask, Exploration, Explored, Question
from mcr.cli.perform import perform
from mcr.jobs.task import Outcome, Tell
from replay.errors import CheckerError, ModelError
from replay.frontend.program import Program
from replay.traces.trace import Trace
from replay.writing import write_atomically


class KeptTask(CheckTask):
    """Looks up what came of an exploration before it is found out again, and can send it away.

    folder  where answers are kept; None for nowhere
    """

    def __init__(
        self, question: Question, on_failure: Callable[[Program, Trace], None], folder: Path | None = None
    ) -> None:
        super().__init__(question, on_failure)
        self._folder = folder

    def do(self, item: Exploration, tell: Tell) -> Explored:
        return self._known(item, tell) or self._explored(item, tell)

    def _explored(self, item: Exploration, tell: Tell) -> Explored:
        told: list[Trace] = []

        def on_failure(trace: Trace) -> None:
            told.append(trace)
            tell.news(trace)

        explored = self._question.explore(item, on_failure, tell.progress)
        self._keep(item, Answer("", explored, new_failures(told)))
        return explored

    # -- what was found out before -------------------------------------------------

    def _known(self, item: Exploration, tell: Tell) -> Explored | None:
        answer = self._kept(item)
        if answer is None:
            return None
        for trace in answer.failures:
            tell.news(trace)
        return answer.explored

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
        if self._folder is not None and answer.explored is not None and answer.explored.result.stop is None:
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
        return Request.about(item, self._question)

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
        return Outcome(answer.explored, said=answer.said)
