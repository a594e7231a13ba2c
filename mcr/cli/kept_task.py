"""Explorations whose answers are kept for later runs, or come from a cluster: sealed messages, by names and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from mcr.cli.check_message import Answer, Request, digest, kept_in, new_failures, read_answer
from mcr.cli.check_task import CheckTask, Exploration, Explored
from mcr.cli.perform import perform
from mcr.exploration.growth import Growth
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
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
        self,
        objective: str,
        algorithm: str,
        options: Options,
        on_failure: Callable[[Program, Trace], None],
        *,
        grows: bool = False,
        folder: Path | None = None,
    ) -> None:
        super().__init__(objective, algorithm, options, on_failure, grows=grows)
        self._folder = folder

    def do(self, item: Exploration, tell: Tell) -> Explored:
        return self._known(item, tell) or super().do(item, tell)

    def _note(self, item: Exploration, result: Result, growth: Growth | None, failures: Sequence[Trace]) -> None:
        self._keep(item, Answer("", result, growth, new_failures(failures)))

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
