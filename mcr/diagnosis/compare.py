"""Comparing memory models: how much each allows, and what exactly.

A program is explored under every model for its local states, outcomes,
deadlocks and classes. An outcome or failure that was seen under a model is
possible under every weaker one; one that a complete exploration did not see
is impossible there and under every stronger model. What a limit cut is left
open, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcr.api import check
from mcr.diagnosis.possibility import Knowledge, Possibility
from mcr.exploration.goals import Goals
from mcr.exploration.options import Options
from mcr.exploration.session import Progress
from mcr.exploration.verdict import INTERRUPTED, Result, Verdict
from mcr.explorers.registry import AUTO, check_supports
from replay.code.user_code import exploring
from replay.frontend.program import Program
from replay.traces.trace import Trace
from replay.world.memory_models import MODELS

STATES, OUTCOMES, CLASSES = "states,deadlocks", "outcomes", "rf"
STATES_AND_OUTCOMES = "states,outcomes,deadlocks"


@dataclass(frozen=True)
class Figures:
    """One program under one model. None stands for a figure that a limit cut.

    values, rf  classes of maximal executions: complete and blocked
    stops       what was cut, and why
    """

    model: str
    verdict: Verdict
    executions: int | None
    local_states: int | None
    outcomes: int | None
    values: tuple[int, int] | None
    rf: tuple[int, int] | None
    stops: tuple[str, ...] = ()


@dataclass(frozen=True)
class Behaviour:
    """Something that a program can do: an outcome, or a failure.

    kind    "outcome" or "failure"
    text    the outcome as Python prints it, or what fails
    models  whether it is possible, by model name
    trace   an execution that shows it, under the strongest model under which it was seen
    """

    kind: str
    text: str
    models: dict[str, Possibility]
    trace: Trace


@dataclass(frozen=True)
class Comparison:
    """A program under all models, strongest first; behaviours in the order in which they were found."""

    program: Program
    figures: tuple[Figures, ...]
    behaviours: tuple[Behaviour, ...]


def compare(
    program: Program, options: Options, algorithm: str = AUTO, on_progress: Progress | None = None
) -> Comparison:
    """Explore a program under every model. Limits hold for each exploration; all bugs are looked for.

    Ctrl-C raises KeyboardInterrupt: a table without the other models compares nothing. Raises CheckerError for an
    algorithm that cannot look for all that is compared.
    """
    return compared(program, [surveyed(program, model, options, algorithm, on_progress) for model in MODELS])


def surveyed(
    program: Program, model: str, options: Options, algorithm: str = AUTO, on_progress: Progress | None = None
) -> ModelSurvey:
    """The explorations of a program under one model that are compared with those of others. Raises like `compare`."""
    check_supports(algorithm, Goals.parse(STATES_AND_OUTCOMES), options=options)
    check_supports(algorithm, Goals.parse(CLASSES))
    options = replace(options, keep_going=True)

    def explore(objective: str, options: Options = options) -> Result:
        result = check(
            program, model, objective=objective, algorithm=algorithm, options=options, on_progress=on_progress
        )
        if result.stop == INTERRUPTED:
            raise KeyboardInterrupt
        return result

    with exploring(program.place):
        if program.instance().final_code is None:
            # Outcomes are combinations of what threads return, for which states alone need no executions.
            states, outcomes = explore(STATES), explore(OUTCOMES)
        else:
            states = outcomes = explore(STATES_AND_OUTCOMES)
        return ModelSurvey(model, states, outcomes, explore(CLASSES, replace(options, merge=True)))  # which never merge


def compared(program: Program, surveys: Sequence[ModelSurvey]) -> Comparison:
    """Combines the surveys of a program under every model, strongest first."""
    return Comparison(program, tuple(survey.figures() for survey in surveys), tuple(_behaviours(surveys)))


@dataclass(frozen=True)
class ModelSurvey:
    """All that is found out about one program under one model.

    states, outcomes  may be one exploration
    classes           by reads-from
    """

    model: str
    states: Result
    outcomes: Result
    classes: Result

    def figures(self) -> Figures:
        statistics = self.states.statistics
        counted = self.states.stop is None
        classes = {count.equivalence: (count.complete, count.blocked) for count in self.classes.shown_classes}
        if self.classes.stop is not None:
            classes = {}
        return Figures(
            model=self.model,
            verdict=self.states.verdict,
            executions=statistics.executions if counted else None,
            local_states=statistics.local_states if counted else None,
            outcomes=len(self.outcomes.witnesses) if self.outcomes.stop is None else None,
            values=classes.get("values"),
            rf=classes.get("rf"),
            stops=tuple(self._stops()),
        )

    def _stops(self) -> Iterator[str]:
        explored = {"states": self.states, "outcomes": self.outcomes, "classes": self.classes}
        for what, result in explored.items():
            if result.stop is not None and not (what == "outcomes" and result is self.states):
                yield f"{what}: {result.stop.reason}"

    def seen(self, kind: str) -> Iterator[tuple[str, Trace]]:
        """The behaviours of a kind, each with its text."""
        if kind == "outcome":
            yield from self.outcomes.witnesses
        for trace in self.states.failures if kind == "failure" else ():
            assert trace.failure is not None
            where = f" ({trace.failure.line.file}:{trace.failure.line.line})" if trace.failure.line else ""
            yield f"{trace.failure}{where}", trace

    def stop(self, kind: str) -> str:
        """Why not all behaviours of a kind were seen, "" if they were."""
        result = self.outcomes if kind == "outcome" else self.states
        return result.stop.reason if result.stop else ""


def _behaviours(surveys: Sequence[ModelSurvey]) -> Iterator[Behaviour]:
    for kind in ("failure", "outcome"):
        traces: dict[str, dict[str, Trace]] = {}
        for survey in surveys:
            for text, trace in survey.seen(kind):
                traces.setdefault(text, {}).setdefault(survey.model, trace)
        stops = {survey.model: survey.stop(kind) for survey in surveys}
        whole = {model for model, stop in stops.items() if not stop}
        for text, shown in traces.items():
            known = Knowledge({*shown}, whole - shown.keys(), stops)
            yield Behaviour(kind, text, known.answers(), next(iter(shown.values())))


Group = tuple[str, list[Behaviour]]
"""A heading, and what belongs under it."""


def groups(behaviours: tuple[Behaviour, ...]) -> list[Group]:
    """Behaviours by the models that allow them, those of the fewest models first."""
    found: dict[tuple[bool | None, ...], list[Behaviour]] = {}
    for behaviour in behaviours:
        answers = tuple(answer.possible for answer in behaviour.models.values())
        found.setdefault(answers, []).append(behaviour)
    ordered = sorted(found, key=lambda answers: (answers.count(True), answers.count(None)))
    return [(_heading(answers), found[answers]) for answers in ordered]


def _heading(answers: tuple[bool | None, ...]) -> str:
    allowed, open_ = (
        [name.upper() for name, answer in zip(MODELS, answers, strict=True) if answer is wanted]
        for wanted in (True, None)
    )
    if len(allowed) == len(MODELS):
        return "Possible everywhere"
    text = f"Possible under {' and '.join(allowed)}{'' if open_ or len(allowed) > 1 else ' only'}"
    return f"{text}; under {' and '.join(open_)} that is open" if open_ else text
