"""Under which memory models is a failure possible?

What is already known often answers that: a failure that was seen is possible
under every weaker model, and one that a complete exploration did not meet is
impossible there and under every stronger model. Only where neither helps is a
model explored again, in search of this one failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from mcr.api import check
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK, FREE_THREADED, GIL, FailureIdentity, Trace
from replay.world.memory_models import MODELS
from replay.world.memory_models.sc import SC

EFFORT, BRIEF = 5_000_000, 300_000
"""Work to search one model (`Options.effort`): some seconds. The failure is known already. The second is for what
nobody asked for. Both are counted, so a busy machine gives the same answer."""

PATIENCE = 60.0
"""Seconds after which a search ends that has not counted so much."""

WITH_LOCK = "CPython with its global lock can fail like this, too"
WITHOUT_LOCK = "CPython with its global lock cannot fail like this (--python gil)"


@dataclass(frozen=True)
class Possibility:
    """The answer whether a failure is possible under a model; `reason` says why it is unknown, or what follows."""

    possible: bool | None
    reason: str = ""


@dataclass
class Knowledge:
    """Under which models something was seen, under which a whole exploration did not see it, and why others are open.

    An execution under one model is an execution under every weaker one.
    """

    seen: set[str]
    excluded: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)

    def answer(self, name: str) -> Possibility:
        model = MODELS[name]
        if any(model.allows(MODELS[other]) for other in self.seen):
            return Possibility(True)
        if any(MODELS[other].allows(model) for other in self.excluded):
            return Possibility(False)
        return Possibility(None, self.reasons.get(name, "not explored"))

    def answers(self) -> dict[str, Possibility]:
        """Returns the known answers, by model name."""
        return {name: self.answer(name) for name in MODELS}


class Inquiry:
    """The facts that are known about one failure of one program.

    `traces` show the failure, `results` are explorations of the program.
    """

    def __init__(self, program: Program, traces: Sequence[Trace], results: Iterable[Result] = ()) -> None:
        self._program = program
        failure = traces[0].failure
        assert failure is not None
        self._identity: FailureIdentity = failure.identity
        self._needs_final = failure.error != DEADLOCK and not failure.is_lasso
        """Whether the final function may fail like this."""
        self._is_alone = not failure.is_raised and self._needs_final
        """Whether it is looked for although something else fails."""
        self._known = Knowledge({model for trace in traces for model in _models_of(trace)})
        self._is_of_python = program.models() == (SC.name,)
        """Whether all that it shares are ordinary objects."""
        self._in_python = ""
        """What is known of CPython with its global lock."""
        self._asked = {trace.model for trace in traces}
        for result in results:
            self._asked.add(result.model)
            self._add_result(result)

    def answer(self) -> dict[str, Possibility]:
        """Returns the known answers, by model name; of ordinary objects also whether CPython can fail like this.

        Where nobody asked about a weaker model than Python's own, nothing is said of others.
        """
        answers = self._known.answers()
        if self._is_of_python and self._asked == {SC.name} and answers[SC.name].possible:
            return {SC.name: Possibility(True, self._in_python)}
        if answers[SC.name].possible is False and self._is_of_python:
            answers[SC.name] = Possibility(False, "so not in CPython")
        if self._in_python:
            answers[SC.name] = Possibility(True, self._in_python)
        return answers

    def explore(self, search: Callable[[str, Options], Result], options: Options) -> None:
        """Search the models of which nothing is known, the weakest first; each for a while.

        `search` explores the program under the model of that name. Ctrl-C comes back as KeyboardInterrupt.
        """
        patience = min(PATIENCE, options.timeout or PATIENCE)
        effort = options.effort or EFFORT
        options = replace(options, timeout=patience, effort=effort, sought=self._identity, shorten=False)
        for name in reversed(MODELS):
            if self._known.answer(name).possible is not None:
                continue
            try:
                result = search(name, options)
            except CheckerError as error:
                self._known.reasons[name] = str(error)
                continue
            self._add_result(result, was_sought=True)
            if result.stop == INTERRUPTED:
                raise KeyboardInterrupt
        if options.python == FREE_THREADED and self._is_of_python and self._known.answer(SC.name).possible:
            self._try_global_lock(search, replace(options, effort=BRIEF))

    def _try_global_lock(self, search: Callable[[str, Options], Result], options: Options) -> None:
        """Find out whether CPython with its global lock can fail like this."""
        try:
            result = search(SC.name, replace(options, python=GIL))
        except CheckerError:  # the algorithm that is asked for cannot tell
            return
        if result.stop == INTERRUPTED:
            raise KeyboardInterrupt
        if self._shown_by(result):
            self._in_python = WITH_LOCK
        elif result.complete:
            self._in_python = WITHOUT_LOCK

    def _shown_by(self, result: Result) -> list[Trace]:
        """The executions that fail like this."""
        return [trace for trace in result.failures if trace.failure and trace.failure.identity == self._identity]

    def explore_briefly(self, objective: str, options: Options) -> None:
        """Search with little effort: where the failure is known, the other models are nice to know, no more."""

        def search(model: str, options: Options) -> Result:
            return check(self._program, model, objective=objective, options=options)

        self.explore(search, replace(options, effort=BRIEF))

    def _add_result(self, result: Result, *, was_sought: bool = False) -> None:
        """With `was_sought`, no other failure has ended the exploration."""
        shown = self._shown_by(result)
        self._known.seen.update(model for trace in shown for model in _models_of(trace))
        needs_final = self._needs_final and not self._is_alone
        is_whole = result.stop is None and (was_sought or self._is_alone or not result.failures)
        if not shown and (result.complete or (is_whole and not needs_final)):
            self._known.excluded.add(result.model)
        if result.stop is not None:
            self._known.reasons[result.model] = result.stop.reason


def _models_of(trace: Trace) -> Iterator[str]:
    """The models of which a trace is an execution for certain; without delayed stores that is all of them."""
    yield trace.model
    if not any(trace.is_delayed(event) for event in trace.events):
        yield from MODELS
