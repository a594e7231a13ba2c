"""Runs litmus tests: which final states has one under a model, and is its condition met? Many run at once."""

from __future__ import annotations

import ast
import functools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcr.api import check
from mcr.exploration.goals import OUTCOMES, STATES
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Statistics
from mcr.explorers.registry import AUTO, parse
from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Task, Tell
from mcr.litmus.code import Value
from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse_file
from mcr.litmus.program import LitmusProgram
from mcr.litmus.test import Column, LitmusTest, State
from replay.errors import CheckerError, ModelError


@dataclass(frozen=True)
class Report:
    """The result of one test under one model.

    states       the final states, as herd prints them, sorted by value
    positive     how many of them satisfy the proposition of the condition, `negative` how many do not
                 (herd counts executions instead, so only zero and non-zero can be compared with it)
    ok           whether the claim of the condition is true
    verdict      "Never", "Sometimes" or "Always": how often the proposition holds
    incomplete   why states may be missing, "" if none are
    """

    name: str
    file: str
    model: str
    kind: str
    condition: str
    threads: int
    states: tuple[str, ...]
    positive: int
    negative: int
    ok: bool
    seconds: float
    incomplete: str = ""
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def verdict(self) -> str:
        if self.positive == 0:
            return "Never"
        return "Always" if self.negative == 0 else "Sometimes"


def objective_by(algorithm: str) -> str:
    """Returns the objective by which an algorithm finds every final state: every local state, or else every outcome."""
    return STATES if STATES in parse(algorithm)[0].objectives else OUTCOMES


def run(test: LitmusTest, model: str = "tso", options: Options | None = None, algorithm: str = AUTO) -> Report:
    """Explore a test completely under one model. Raises LitmusError if it turns out to be malformed.

    Ctrl-C raises KeyboardInterrupt: half of the states of a test are of no use.
    """
    started = time.perf_counter()
    program = LitmusProgram(test, {"ask": "states"})
    result = check(program, model, objective=objective_by(algorithm), algorithm=algorithm, options=options)
    if result.stop == INTERRUPTED:
        raise KeyboardInterrupt
    states = sorted((_read(outcome, test.columns) for outcome in result.outcomes), key=_order)
    seconds = time.perf_counter() - started
    return _report(test, result.model, states, seconds, _incomplete(result), result.statistics)


def unknown(test: LitmusTest, model: str, why: str) -> Report:
    """The report on a test under a model of which nothing is known, and why."""
    return _report(test, model, [], 0.0, why, Statistics())


def _report(
    test: LitmusTest, model: str, states: Sequence[State], seconds: float, incomplete: str, statistics: Statistics
) -> Report:
    proposition, quantifier = test.condition.proposition, test.condition.quantifier
    positive = sum(proposition.holds(state) for state in states)
    negative = len(states) - positive
    return Report(
        name=test.name,
        file=test.file,
        model=model,
        kind=quantifier.kind,
        condition=str(test.condition),
        threads=len(test.threads),
        states=tuple("; ".join(f"{column}={value}" for column, value in state.items()) for state in states),
        positive=positive,
        negative=negative,
        ok=quantifier.holds(positive, negative),
        seconds=seconds,
        incomplete=incomplete,
        statistics=statistics,
    )


def _incomplete(result: Result) -> str:
    return f"{result.stop.reason} ({result.stop.remedy})" if result.stop else ""


def _read(outcome: str, columns: tuple[Column, ...]) -> State:
    """The state that the final function returned as text."""
    text: str = ast.literal_eval(outcome)
    values = (part.partition("=")[2] for part in text.split(";")[:-1])
    return {column: _value(value) for column, value in zip(columns, values, strict=True)}


def _value(text: str) -> Value:
    return int(text) if text.lstrip("-").isdigit() else text


def _order(state: State) -> list[tuple[bool, Value]]:
    """Numbers by size, addresses by name after them."""
    return [(isinstance(value, str), value) for value in state.values()]


@dataclass(frozen=True)
class FileResult:
    """The result of one file: a report for each model, or the reason why it is refused."""

    file: str
    reports: tuple[Report, ...] = ()
    refusal: str = ""


def litmus_files(paths: Iterable[str]) -> list[Path]:
    """The files named, and all .litmus files below the folders named, sorted. Raises CheckerError if there is none."""
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        below = sorted(path.rglob("*.litmus")) if path.is_dir() else [path]
        if not below:
            raise CheckerError(f"{name}: there is no .litmus file in this folder")
        found += below
    return list(dict.fromkeys(found))


def run_file(path: Path, models: Sequence[str], options: Options, algorithm: str) -> FileResult:
    """Run one file under every model."""
    try:
        test = parse_file(path)
        return FileResult(str(path), tuple(run(test, model, options, algorithm) for model in models))
    except LitmusError as error:
        return FileResult(str(path), refusal=str(error))
    except ModelError as error:
        return FileResult(str(path), refusal=str(LitmusError(error.message, error.where or str(path))))


def run_files(
    files: Sequence[Path], models: Sequence[str], options: Options, jobs: int | None = 1, algorithm: str = AUTO
) -> Iterator[FileResult]:
    """The results in the order of the files, whatever the number of processes; None: as many as there are cores."""
    executing = Executor(jobs)
    options = options.beside(min(executing.jobs, len(files)))

    def work(path: Path, tell: Tell) -> FileResult:
        return run_file(path, models, options, algorithm)

    found = answers(Task(work, functools.partial(_died, models)), files, executing)
    yield from (result for result in found if result is not None)


def _died(models: Sequence[str], path: Path, how: str) -> FileResult:
    """Returns the result of a file whose process ended: nothing is known of it, under any model."""
    test = parse_file(path)
    return FileResult(str(path), tuple(unknown(test, model, how) for model in models))
